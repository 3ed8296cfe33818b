#!/usr/bin/env python3
"""Commands of README and guide, run as they stand without a display: each succeeds and leaves what it promises.

    readme_test.py BROKKR     those of README and of the quick start, with the program that stands for build/release/brokkr
    readme_test.py --build    those of the guide's page on building, in this checkout; they build, test, install and make packages
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[3]


def block(page, section):
    """Lines of the first block of commands under a heading of a page."""
    text = (SOURCE / page).read_text()
    found = re.search(rf"^## {section}\n(?:(?!^## ).)*?^```sh\n(.*?)```", text, re.MULTILINE | re.DOTALL)
    return found[1].splitlines()


def lines_to_use():
    """The line that makes `brokkr` known to the shell, with which both blocks begin, and all others."""
    first, *others = block("README.md", "Use it")
    again, *more = block("docs/guide/quick-start.md", "One line for each command")
    assert first.startswith("export PATH=") and again == first, (first, again)
    assert len(others) > 2 and len(more) > 5, (others, more)
    return first, others + more


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


def build():
    lines = block("docs/guide/build.md", "Build it")
    assert len(lines) > 2, lines
    for line in lines:
        print(line, flush=True)
        if subprocess.run(["sh", "-c", line], cwd=SOURCE).returncode != 0:
            return f"it failed: {line}"
    packages = list((SOURCE / "build" / "release").glob("*.deb"))
    return 0 if len(packages) > 1 else "there are no packages"


def use(program):
    has_matplotlib = subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], capture_output=True).returncode == 0
    has_lab = "queues" in subprocess.run([program, "--help"], capture_output=True, text=True).stdout
    has_shaders = "built without" not in subprocess.run([program, "shaders", "/dev/null"], capture_output=True, text=True).stderr
    first, others = lines_to_use()
    faults = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "build").mkdir()
        (folder / "build" / "release").symlink_to(program.parent)
        for entry in ("scenes", "assets", "shaders"):
            (folder / entry).symlink_to(SOURCE / entry)
        for line in others:
            if line.startswith("brokkr patterns ") and not has_lab or line.startswith("brokkr plot ") and not has_matplotlib:
                continue
            if "--fragment" in line and not has_shaders:
                continue
            problem = fault(folder, first, line)
            if problem:
                faults += 1
                print(f"{line}\n  {problem}")
    print(f"{faults} faults in {len(others)} lines")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(build() if sys.argv[1] == "--build" else use(pathlib.Path(sys.argv[1]).resolve()))
