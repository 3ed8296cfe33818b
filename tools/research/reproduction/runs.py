"""Runs measurements with a time limit, in parallel if their times do not count, otherwise alone. It stores their results
with machine, commit and settings."""
import concurrent.futures
import datetime
import fnmatch
import glob
import gzip
import json
import os
import pathlib
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

from command_line import ROOT, Wrong

PACKED_FROM = 100_000  # bytes from which a result is stored compressed


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def code():
    """Returns the last commit of the files that can change a number, and whether the checkout differs from it."""
    folders = ["src", "shaders", "assets", "scenes"]
    return {"commit": git("log", "-1", "--format=%h", "--", *folders) or "unknown",
            "changed": bool(git("status", "--porcelain", "--untracked-files=no", "--", *folders))}


def machine():
    model = next((line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), platform.processor() or "unknown") if os.path.exists("/proc/cpuinfo") else platform.processor()
    return {"processor": model, "cores": len(os.sched_getaffinity(0)), "system": f"{platform.system()} {platform.release()}"}


class Places:
    """The folders: commands run in `work`, and `results` has a folder for each measurement."""

    def __init__(self, options):
        self.brokkr, self.simt, self.captures = options.brokkr, options.simt, options.captures
        self.work, self.results, self.images = options.work, options.results, options.images

    def program(self, measurement):
        if "valgrind" in measurement.needs:
            return self.counted()
        return self.simt if "simt" in measurement.needs else self.brokkr

    def counted(self):
        """Returns a program with a kernel for AVX2, because valgrind does not support AVX-512; None if there is
        none."""
        for program in (self.brokkr, self.simt, ROOT / "build/isas/brokkr"):
            if program and os.path.exists(program):
                listed = subprocess.run([program, "machines", "--json", "-"], capture_output=True, text=True).stdout
                if any(one["isa"] == "x86-64-v3" and one["available"] for one in json.loads(listed or "[]")):
                    return program
        return None

    def words(self, command, measurement):
        """Returns the words of a command for `work`, and the file for its output. Raises Wrong if a frame is
        missing."""
        words, output = [], None
        pieces = iter(shlex.split(command))
        for word in pieces:
            if word == ">":
                output = self.work / next(pieces)
                continue
            if word == "docs/images" or word in measurement.pictures:
                word = str(self.images / word.removeprefix("docs/images"))
            elif word in ("brokkr", "build/release/brokkr"):
                word = str(self.program(measurement))
            elif word.startswith(("tools/", "docs/course")):
                word = str(ROOT / word)
            elif word == "DIR" or word.startswith("CAPTURES/"):
                words += [str(self.captures), "--brokkr", str(self.brokkr)] if word == "DIR" else sorted(glob.glob(str(self.captures / "*.bkf")))
                continue
            elif word.startswith("scenes/") and "*" in word:
                words += [str(path) for path in sorted(ROOT.glob(word))]
                continue
            elif word.endswith((".bkf", ".obj")) and not word.startswith("out/"):
                found = [place for place in (ROOT / word, self.captures / word if self.captures else None) if place and place.exists()]
                if not found:
                    raise Wrong(f"{measurement.name}: the frame {word} is missing; make it with tools/make-frames, and name its folder with --captures")
                word = str(found[0])
            words.append(word)
        return words, output

    def has(self, need):
        """Returns the reason why a need is not met here; empty if it is met."""
        if need == "simt":
            listed = subprocess.run([self.simt, "simt", "--list"], capture_output=True, text=True)
            usable = listed.returncode == 0 and "built without" not in listed.stdout
            return "" if usable else "needs a program with the simulated device: cmake --preset ptx && cmake --build build/ptx --target brokkr_cli brokkr-simt"
        if need == "captures":
            return "" if self.captures else "needs frames that are not in scenes/: tools/make-frames, then --captures FOLDER"
        if need == "mpi":
            modules = [self.brokkr.parent / folder / "brokkr-mpi.so" for folder in (".", "src/research/ranks")]
            here = shutil.which("mpirun") and any(module.exists() for module in modules)
            return "" if here else "needs mpirun and brokkr-mpi.so beside the program (Debian's package libopenmpi-dev, then a build)"
        if need == "valgrind":
            if not shutil.which("valgrind"):
                return "needs valgrind (Debian's package of that name)"
            return "" if self.counted() else "needs a program for AVX2: cmake --preset release -B build/isas -DBROKKR_ISAS=all && cmake --build build/isas"
        cuda = subprocess.run([self.brokkr, "machines"], capture_output=True, text=True).stdout
        there = any(line.startswith("cuda ") and " yes" in line for line in cuda.splitlines())
        return "" if there else "needs a GPU"


def record_of(results, name):
    """Returns the record of a measurement's last run; None if there was none."""
    path = results / name / "run.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


class Running:
    """One measurement: runs its commands one after another in a separate process group."""

    def __init__(self, measurement, places, quick):
        self.measurement, self.places, self.quick = measurement, places, quick
        self.commands = measurement.quick if quick else measurement.whole
        self.expected = measurement.seconds if quick else 60 * measurement.minutes
        self.processor = 0.0  # processor time of all its processes in seconds

    def limit(self):
        """Returns the seconds after which a measurement counts as a hang: more on a computer that other programs
        use."""
        return (120 + (10 if self.quick else 4) * self.expected) * max(1, os.getloadavg()[0] / machine()["cores"])

    def run(self, stop):
        """Returns its seconds. Raises Wrong if a command fails or takes too long."""
        begin = time.monotonic()
        (self.places.work / self.measurement.folder).mkdir(parents=True, exist_ok=True)
        for command in self.commands:
            words, output = self.places.words(command, self.measurement)
            log = self.places.work / self.measurement.folder / "printed.txt"
            with open(output or log, "w", encoding="utf-8") as printed, open(log.with_name("errors.txt"), "w", encoding="utf-8") as errors:
                process = subprocess.Popen(words, cwd=self.places.work, stdout=printed, stderr=errors, start_new_session=True)
                try:
                    while not self.has_ended(process):
                        if stop.wait(0.05):
                            raise KeyboardInterrupt
                        if time.monotonic() - begin > self.limit():
                            raise Wrong(f"{self.measurement.name}: `{command}` took more than {self.limit():.0f} s")
                finally:
                    if process.returncode is None:
                        os.killpg(process.pid, signal.SIGTERM)
                        process.wait()
            if process.returncode != 0:
                said = log.with_name("errors.txt").read_text(encoding="utf-8", errors="replace").strip().splitlines()
                raise Wrong(f"{self.measurement.name}: `{command}` ended with {process.returncode}: {said[-1] if said else 'no message'}")
        return time.monotonic() - begin

    def has_ended(self, process):
        """Returns true if a command has ended. Then adds its processor time, with that of the processes that it waited
        for."""
        ended, status, used = os.wait4(process.pid, os.WNOHANG)
        if ended == 0:
            return False
        process.returncode = os.waitstatus_to_exitcode(status)
        self.processor += used.ru_utime + used.ru_stime
        return True

    def keep(self, seconds):
        """Copies its output to the results, and records its commands."""
        folder = self.places.results / self.measurement.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        source, kept = self.places.work / self.measurement.folder, []
        for path in sorted(source.rglob("*")):
            name = str(path.relative_to(source))
            if path.is_file() and any(fnmatch.fnmatch(name, glob) for glob in self.measurement.keep) \
                    and not any(fnmatch.fnmatch(name, glob) for glob in self.measurement.leave):
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                data = path.read_bytes().replace(f"{ROOT}/".encode(), b"")  # names of frames, as in the repository
                if len(data) >= PACKED_FROM:
                    target.with_name(target.name + ".gz").write_bytes(gzip.compress(data, mtime=0))
                else:
                    target.write_bytes(data)
                kept.append(name)
        if not kept:
            raise Wrong(f"{self.measurement.name}: left no results in {source}")
        record = {"measurement": self.measurement.name, "form": "whole" if self.commands == self.measurement.whole else "quick", "commands": list(self.commands),
                  "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M"), "seconds": round(seconds, 1), "processor_seconds": round(self.processor, 1),
                  "machine": machine(), "load": round(os.getloadavg()[0], 1), **code(), "results": kept}
        (folder / "run.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def is_done(measurement, places, quick):
    """Returns true if the results of these commands and this code exist."""
    record = record_of(places.results, measurement.name)
    if record is None or record["changed"] or record["commit"] != code()["commit"] or record["machine"] != machine():
        return False
    return record["commands"] == list(measurement.whole) or (quick and record["commands"] == list(measurement.quick))


class Progress:
    """Prints lines on stderr: the finished measurements, and the time that the rest takes at the pace so far."""

    def __init__(self, running, lanes):
        self.left = {r.measurement.name: r.expected for r in running}
        self.all, self.lanes, self.begin, self.done = sum(self.left.values()), lanes, time.monotonic(), 0
        self.count, self.lock = len(running), threading.Lock()

    def ended(self, name, line):
        with self.lock:
            self.left.pop(name)
            self.done += 1
            gone, left = time.monotonic() - self.begin, sum(self.left.values())
            pace = gone / (self.all - left) if left < self.all else 1 / self.lanes
            rest = pace * left
            tail = f"; about {rest / 60:.0f} min left" if rest >= 90 else f"; about {rest:.0f} s left" if self.left else ""
            print(f"[{self.done}/{self.count}] {name}: {line}{tail}", file=sys.stderr, flush=True)


def run_all(running, jobs):
    """Returns the lines of the failed ones. Measurements that are timed in their whole form run alone, after all
    others."""
    failed, progress, stop = [], Progress(running, jobs), threading.Event()

    def one(r):
        try:
            seconds = r.run(stop)
            r.keep(seconds)
            progress.ended(r.measurement.name, f"{seconds:.1f} s, of the processor {r.processor:.1f} s")
        except Wrong as error:
            failed.append(str(error))
            progress.ended(r.measurement.name, "failed")

    alone = [r for r in running if r.measurement.timing and not r.quick]
    together = sorted((r for r in running if r not in alone), key=lambda r: -r.expected)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        tasks = [pool.submit(one, r) for r in together]
        try:
            for task in tasks:
                task.result()
        except BaseException:
            stop.set()
            for task in tasks:
                task.cancel()
            raise
    for r in alone:
        one(r)
    if running:
        print(f"{len(running)} measurements: {sum(r.processor for r in running):.0f} s of the processor", file=sys.stderr)
    return failed
