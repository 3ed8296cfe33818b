"""The steps in order, and their shared state."""
import concurrent.futures
import glob
import json
import os
import pathlib
import sys
import time

from command_line import ROOT, Wrong, field, make_folder, read_json

from . import build, frames, summary, timing
from .process import Failed, Skip
from .timing import CURVES, GENERATED, VARIANTS

LEAST = 5  # seconds: with less time left, no step begins


class Check:
    def __init__(self, options):
        self.options = options
        self.build_dir = self.prebuilt("--prebuilt", options.prebuilt) or ROOT / "build" / "gpu-check"
        self.two_dir = self.prebuilt("--prebuilt-two", options.prebuilt_two) or ROOT / "build" / "gpu-check-two"
        for path in options.frame:
            if not os.path.isfile(path):
                raise Wrong(f"{path}: there is no such frame; name .bkf or .obj files, or none for all bundled frames")
        self.output = make_folder(pathlib.Path(options.output).resolve())
        self.program, self.two_program = self.build_dir / "brokkr", self.two_dir / "brokkr"
        self.deadline = time.monotonic() + options.budget
        self.steps = []
        self.gpu = None
        self.against = None  # peers of benchmarks, once they are known
        self.pool, self.second_build = concurrent.futures.ThreadPoolExecutor(1), None
        self.kept = self.finished_before() if options.resume else {}
        self.before = self.kept.pop("environment", None)

    @staticmethod
    def prebuilt(option, folder):
        if folder and not (pathlib.Path(folder) / "brokkr").exists():
            raise Wrong(f"{option} {folder}: there is no program brokkr; name a build directory")
        return pathlib.Path(folder).resolve() if folder else None

    def finished_before(self):
        """Returns the successful steps of an earlier run, by name."""
        path, kinds = self.output / "summary.json", {"step": str, "status": str, "note": str, "seconds": (int, float), "found": dict}
        try:
            steps = field(read_json(path, "all steps are done"), "steps", list, path, "all steps are done")
        except Wrong as error:
            print(f"{self.output}: nothing to resume: {error}", file=sys.stderr)
            return {}
        whole = [entry for entry in steps if isinstance(entry, dict) and all(isinstance(entry.get(k), v) for k, v in kinds.items())]
        return {entry["step"]: entry for entry in whole if entry["status"] == "ok"}

    def limit(self, seconds):
        """Returns the seconds that a command of this step may take."""
        left = self.deadline - time.monotonic()
        if left < LEAST:
            raise Skip(f"the {self.options.budget} s of --budget are over; --resume does the rest")
        return max(1.0, min(seconds, left))

    @property
    def machine(self):
        return "cpu" if self.options.rehearse else "cuda"

    def need_gpu(self):
        if not self.program.exists():
            raise Skip("no program was built")
        if not self.gpu:
            raise Skip("no GPU (nvidia-smi found none)")

    def frame_files(self):
        if self.options.frame:
            return [os.path.abspath(path) for path in self.options.frame]
        return sorted(glob.glob(str(ROOT / "scenes" / "*.bkf")) + glob.glob(str(ROOT / "assets" / "**" / "*.obj"), recursive=True))

    def step(self, name, function, *arguments):
        begin = time.monotonic()
        entry = {"step": name, "status": "ok", "note": ""}
        if name in self.kept:
            entry = dict(self.kept[name], note="kept")
        else:
            try:
                self.limit(LEAST)
                entry["found"] = function(self, *arguments)
            except Skip as reason:
                entry.update(status="skipped", note=str(reason))
            except Failed as reason:
                entry.update(status="failed", note=str(reason.args[0]), found=reason.args[1] if len(reason.args) > 1 else {})
            except Exception as error:  # a failed step must not end the others
                entry.update(status="failed", note=f"{type(error).__name__}: {error}")
            entry["seconds"] = round(time.monotonic() - begin, 1)
        self.steps.append(entry)
        print(f"{name:42} {entry['status']:8} {entry['seconds']:7.1f} s  {entry['note']}", flush=True)
        self.write()  # the results so far survive later failures

    def write(self):
        (self.output / "summary.json").write_text(json.dumps({"steps": self.steps}, indent=2) + "\n")
        (self.output / "summary.md").write_text(summary.markdown(self.steps))

    def all(self):
        self.step("environment", build.environment)
        self.step("build", build.build)
        self.step("registers and spills", build.ptxas)
        self.step("CUDA tests", build.cuda_tests)
        self.step("build for two blocks", build.build_two)  # begun during the first; timings need idle processors
        for path in self.frame_files():
            self.step(f"frame {os.path.basename(path)}", frames.frame, path)
        self.step("OpenGL on this GPU", timing.opengl)
        for name in GENERATED:
            self.step(f"bench {name}", timing.scene, name)
        self.step("bench frames", timing.captures)
        for name in VARIANTS:
            self.step(f"variant {name}", timing.variant, name)
        self.step("compute-sanitizer memcheck", frames.sanitizer, "memcheck")
        for name in CURVES:
            self.step(f"curve {name}", timing.curve, name)
        self.step("patterns", timing.patterns)
        self.step("queues", timing.queues)
        for which in ("racecheck", "synccheck"):
            self.step(f"compute-sanitizer {which}", frames.sanitizer, which)
        print(f"summary: {self.output / 'summary.md'}")
        return 1 if any(entry["status"] == "failed" for entry in self.steps) else 0
