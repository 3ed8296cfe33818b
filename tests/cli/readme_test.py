#!/usr/bin/env python3
"""README's commands under "Use it", run as they stand without a display: each succeeds and leaves what it promises.

    readme_test.py BROKKR

BROKKR is the program that stands for build/release/brokkr.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = pathlib.Path(sys.argv[1]).resolve()
HAS_MATPLOTLIB = subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], capture_output=True).returncode == 0
HAS_LAB = "queues" in subprocess.run([PROGRAM, "--help"], capture_output=True, text=True).stdout


def lines():
    """Of the block, which begins with a line that makes `brokkr` known to the shell."""
    block = re.search(r"^## Use it\n+```sh\n(.*?)```", (SOURCE / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    first, *others = block[1].splitlines()
    assert first.startswith("export PATH="), first
    assert len(others) > 5, others
    return first, others


def promised(line):
    """Files: after an option, and pictures that the comment names."""
    command, _, comment = line.partition("#")
    return re.findall(r" (?:-o|--log) (\S+)", command) + re.findall(r"[\w-]+\.png", comment)


def fault(folder, first, line):
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    run = subprocess.run(["sh", "-c", f"{first}\n{line}"], cwd=folder, env=environment, capture_output=True, text=True)
    if run.returncode != 0:
        return f"exit code {run.returncode}: {run.stderr}"
    for name in promised(line):
        path = folder / name
        if not path.exists() or (path.stat().st_size == 0 if path.is_file() else not any(path.iterdir())):
            return f"{name} is not there, or it is empty"
    return "" if run.stdout or promised(line) else "it says nothing and writes nothing"


def main():
    first, others = lines()
    faults = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "build").mkdir()
        (folder / "build" / "release").symlink_to(PROGRAM.parent)
        for entry in ("scenes", "assets"):
            (folder / entry).symlink_to(SOURCE / entry)
        for line in others:
            if line.startswith("brokkr patterns ") and not HAS_LAB or line.startswith("brokkr plot ") and not HAS_MATPLOTLIB:
                continue
            problem = fault(folder, first, line)
            if problem:
                faults += 1
                print(f"{line}\n  {problem}")
    print(f"{faults} faults in {len(others)} lines")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
