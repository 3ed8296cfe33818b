#!/usr/bin/env python3
"""Small files that ask for much: one line, at once, and with little memory; and that Ctrl-C ends what takes long.

    limits_test.py BROKKR
"""
import gzip
import json
import os
import pathlib
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from test_frame import TRIANGLE, container, draw, frame

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
MEMORY = 300 << 20  # bytes that a refusal may use
ITSELF = 120 << 20  # bytes that the program and its threads use, in addition to what --memory-limit counts
COMMANDS = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True).stdout.split()


def target(size):
    return frame(targets=[{"id": 0, "size": [size, size], "samples": 0}])


class Limits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def run_program(self, *words):
        """Exit code, standard error, processor seconds and most memory of a run."""
        process = subprocess.Popen([PROGRAM, *map(str, words)], cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with process.stdout, process.stderr:
            process.stdout.read()
            # Drop progress lines, which slow runs print.
            error = "".join(line for line in process.stderr.read().decode().splitlines(True) if not line.rstrip().endswith(" %"))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, error, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024

    def refused(self, words, *mentions):
        code, error, seconds, memory = self.run_program(*words)
        self.assertEqual((code, error.count("\n")), (1, 1), error)
        for mention in mentions:
            self.assertIn(mention, error)
        self.assertLess(seconds, 1, words)
        self.assertLess(memory, MEMORY, words)

    def write(self, name, content):
        (self.path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def test_a_target(self):
        file = self.write("target.bkf", container(target(16384), TRIANGLE))
        self.refused(["render", file, "--no-output", "--memory-limit", 1024], file, "targets", "GiB", "--memory-limit")
        self.refused(["render", file, "--no-output"], file, "targets", "GiB", "--memory-limit")

    def test_a_blob(self):
        """Zeros that compress to nothing."""
        text = json.loads(frame())
        text["blob"] = {"codec": "none", "size": 1 << 32}
        file = self.write("blob.bkf", container(json.dumps(text), b"x" * 100))
        self.refused(["info", file, "--memory-limit", 256], file, "blob.size")
        text["blob"]["codec"] = "zstd"
        file = self.write("blob.bkf", container(json.dumps(text), b"x" * 100))
        self.refused(["info", file, "--memory-limit", 256], file, "blob.size", "GiB")
        self.refused(["info", file], file, "blob.size", "GiB")

    def test_pictures(self):
        self.write("o.obj", "mtllib o.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl a\nf 1/1 2/1 3/1\n")
        self.write("o.mtl", "newmtl a\nKd 1 1 1\nmap_Kd x.tga\n")
        header = bytes([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 64, 24, 0])
        self.write("x.tga", header + b"\0" * 5)
        self.refused(["render", "--strict", "o.obj", "--no-output"], "o.mtl", "x.tga", "16384")
        png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sIIBBBBB", 13, b"IHDR", 16384, 16384, 8, 6, 0, 0, 0) + b"\0\0\0\0"
        png += struct.pack(">I4s", 300000, b"IDAT") + b"\0" * 300004 + struct.pack(">I4sI", 0, b"IEND", 0)
        self.write("x.png", png)
        self.write("o.mtl", "newmtl a\nKd 1 1 1\nmap_Kd x.png\n")
        self.refused(["info", "o.obj", "--memory-limit", 1024], "o.obj", "x.png", "GiB")

    def test_points(self):
        """Kilobytes of zstd that hold four million points, each of which becomes a square."""
        size = 64 << 20
        block = 1 << 17
        blob = struct.pack("<IBQ", 0xFD2FB528, 0xE0, size)
        for number in range(size // block):
            last = number == size // block - 1
            blob += struct.pack("<I", int(last) | 1 << 1 | block << 3)[:3] + b"\0"  # a block of one byte, repeated
        points = draw(mode="points", position={"offset": 0, "type": "f32x4", "count": size // 16})
        file = self.write("points.bkf", container(frame(commands=[points] * 20, blob={"codec": "zstd", "size": size}), blob))
        self.refused(["render", file, "--no-output", "--memory-limit", 1024], file, "command 0", "GiB")
        self.refused(["info", file, "--memory-limit", 64], file, "blob.size")

    def test_generated(self):
        self.refused(["info", "generated:city?triangles=50000000", "--memory-limit", 256], "triangles", "GiB")

    def test_a_number_beyond_all_vertices(self):
        file = self.write("f.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999999\n")
        self.refused(["info", file], file, "line 4", "2147483647")

    def test_keys(self):
        """Pattern files and frames have a limit on their keys."""
        keys = ", ".join(f'"key{i:06}": 1' for i in range(60000))
        file = self.write("pattern.json", '{"format": "brokkr pattern", "version": 1, ' + keys + "}")
        self.refused(["render", "generated:sphere-100k?triangles=300", "--no-output", "--pattern", "./" + file], file)

    def test_a_memory_limit_of_the_system(self):
        """What the process may have (ulimit -v) is respected without an option."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        file = self.write("target.bkf", container(target(8192), TRIANGLE))
        run = subprocess.run([PROGRAM, "render", file, "--no-output", "--workers", "1"], cwd=self.path, capture_output=True, text=True,
                             preexec_fn=limit)
        self.assertEqual((run.returncode, run.stderr.count("\n")), (1, 1), run.stderr)
        self.assertIn("targets", run.stderr)

    def held(self, limit, words, *mentions):
        """Within `limit` MiB a command ends well, or where it is said what its refusal mentions, by that."""
        code, error, _, memory = self.run_program(*words, "--memory-limit", limit)
        self.assertLess(memory, (limit << 20) + ITSELF, words)
        error = "".join(line for line in error.splitlines(True) if line.startswith("brokkr: "))  # slow runs show progress
        if not mentions:
            self.assertEqual((code, error), (0, ""), words)
            return
        self.assertEqual((code, error.count("\n")), (1, 1), (words, error))
        for mention in (*mentions, "iB", "--memory-limit"):
            self.assertIn(mention, error)

    def test_trace(self):
        small = ["--samples", 4, "-o", "out.png"]
        self.held(100, ["trace", "generated:sphere-1m", *small], "generated:sphere-1m", "fewer triangles")
        for structure in ("bvh", "kd", "grug"):
            scene = "generated:scan?triangles=100000"
            self.held(300, ["trace", scene, "--size", "64x64", *small, "--structure", structure])
            self.held(40, ["trace", scene, "--size", "64x64", *small, "--structure", structure], "triangles")
        self.held(64, ["trace", "generated:city?triangles=1000", "--size", "8192x8192", *small], "picture", "--size")
        self.held(40, ["trace", "generated:city?triangles=1000", "--size", "320x200", *small])

    def test_reyes(self):
        """Patches around the eye, which split for ever; and what a small limit allows."""
        patch = "3 3\n" + "".join(f"{x} {y} 0\n" for y in (-4.5, -1.5, 1.5, 4.5) for x in (-4.5, -1.5, 1.5, 4.5))
        near = self.write("near.bpt", "40\n" + 40 * patch)
        around = ["--camera", "eye=0,0,6 target=0,0,0"]
        self.held(64, ["reyes", near, *around], near, "--rate", "--size")
        self.held(400, ["reyes", near, *around], near, "--rate", "--size")
        self.held(200, ["reyes", near, *around, "--tasks", 100, "--size", "320x200", "-o", "out.png"])
        self.held(64, ["reyes", "teapot", "--size", "160x100", "-o", "out.png", "--grid-lines"])
        self.held(64, ["reyes", "teapot", "--size", "8192x8192"], "--size")
        many = self.write("many.bpt", "400000\n" + 400000 * ("3 3\n" + 16 * "0 0 0\n"))
        self.held(30, ["reyes", many], many)
        self.held(120, ["reyes", many], many, "patches")

    def packed(self, name, pieces):
        """Written piece by piece: what this process holds at a fork counts as its child's."""
        with gzip.open(self.path / name, "wb", compresslevel=1) as file:
            file.writelines(pieces)
        return name

    @unittest.skipUnless("schedule" in COMMANDS, "built without the laboratory")
    def test_experiments(self):
        quick = ["--quick", "--runs", 1, "--machine", "cpu"]
        self.held(64, ["queues", "pagerank", "--nodes", 4000000, *quick], "graph", "--iterations")
        self.held(64, ["queues", "mix", "--loops", 100000000, "--warps", 4, "--queues", "BQ", *quick], "queues", "--loops")
        self.held(64, ["queues", "pagerank", "--graph", self.packed("lines.txt.gz", [b"\n" * (1 << 20)] * 400), *quick], "lines.txt.gz")
        edges = (b"%d %d\n" % (i, i + 1) for i in range(2000000))
        self.held(64, ["queues", "pagerank", "--graph", self.packed("edges.txt.gz", edges), *quick], "edges.txt.gz")
        self.held(200, ["queues", "balanced", "--queues", "BQ", "--warps", 2, *quick])
        self.held(16, ["schedule", "quotas", "--decisions", 1000000, *quick], "--decisions")
        self.held(64, ["schedule", "foveated", "--scene", "generated:sphere-1m", *quick], "sphere")
        self.held(200, ["schedule", "accuracy", "--workers", 2, *quick])

    @unittest.skipUnless("simt" in COMMANDS, "built without the simulator")
    def test_rays(self):
        code, error, _, memory = self.run_program("simt", "ray", "--triangles", 4000000, "--memory-limit", 64)
        self.assertLess(memory, (64 << 20) + ITSELF)
        self.assertEqual((code, error.count("\n")), (1, 1), error)

    def test_ranks(self):
        scene = "generated:scan?triangles=300000"
        self.held(50, ["ranks", "balance", scene], "scan")
        self.held(64, ["ranks", "owners", "generated:city?triangles=1000", "--size", "8192x8192", "-o", "out.png"], "targets")
        self.held(200, ["ranks", "balance", "generated:city?triangles=1000", "--size", "320x200"])

    def test_many_draws_of_one_range(self):
        """`info` looks at each index once, whatever draws share it."""
        count = 30000
        strip = draw(mode="triangle_strip", indices={"offset": len(TRIANGLE), "type": "u32", "count": count}, restart=True)
        commands = [dict(strip, indices=dict(strip["indices"], count=count - i % 2000)) for i in range(8000)]
        blob = TRIANGLE + b"".join(struct.pack("<I", 0xffffffff if i % 7 == 6 else i % 3) for i in range(count))
        file = self.write("many.bkf", container(frame(commands=commands, blob_size=len(blob)), blob))
        code, error, seconds, _ = self.run_program("info", file)
        self.assertEqual(code, 0, error)
        self.assertLess(seconds, 5)

    def user_seconds(self, process):
        """Processor seconds of a running process; nothing if it has ended."""
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return None if fields[0] == "Z" else int(fields[11]) / os.sysconf("SC_CLK_TCK")

    def seconds_after_ctrl_c(self, words):
        """Processor time that the program takes itself once it is interrupted 0.4 s into its work. What the system takes to
        free gigabytes is the system's, and grows with the machine's load."""
        process = subprocess.Popen([PROGRAM, *words, "--memory-limit", "16384"], cwd=self.path, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        before = 0
        while before is not None and before < 0.4:
            time.sleep(0.005)
            before = self.user_seconds(process)
        self.assertIsNotNone(before, f"{words} has ended before it could be interrupted")
        process.send_signal(signal.SIGINT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertIn(process.returncode, (-signal.SIGINT, 130), words)
        return usage.ru_utime - before

    def test_ctrl_c(self):
        """What takes long ends at once: while it loads, plans and orders. A computer that others use may lose the signal's
        thread for a while, in which the others work on: the best of five counts."""
        scene = "generated:overlap-10k?triangles=20000000"
        for words in (["info", scene], ["render", scene, "--no-output", "--reuse", "nvidia"],
                      ["optimize", "generated:scan?triangles=3000000", "-o", "out.bkf"], ["bench", scene, "--against", "none"]):
            seconds = []
            # A clock tick is 10 ms.
            while len(seconds) < 5 and min(seconds, default=1) > 0.1 + 0.02:
                seconds.append(self.seconds_after_ctrl_c(words))
            self.assertLessEqual(min(seconds), 0.1 + 0.02, f"{words}: {seconds}")
        self.assertFalse((self.path / "out.bkf").exists())


if __name__ == "__main__":
    unittest.main()
