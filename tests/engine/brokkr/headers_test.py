#!/usr/bin/env python3
"""The installed headers: each compiles alone, and they include one another, the standard library and GLM only.

    headers_test.py CXX SOURCE
"""
import pathlib
import re
import subprocess
import sys
import tempfile

INCLUDE = re.compile(r'^#include (?:"(brokkr/\w+\.(?:h|def))"|<(glm/[\w/]+\.hpp|\w+)>)$')


def main():
    compiler, source = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    headers = sorted((source / "src/engine/brokkr").glob("*.h"))
    failures = []
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        (work / "brokkr").symlink_to(source / "src/engine/brokkr")  # the only folder of src

        def compiles(text, *definitions):
            command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror",
                       *definitions, f"-I{work}", "-x", "c++", "-"]
            done = subprocess.run(command, input=text, text=True, capture_output=True)
            return done.stderr if done.returncode else ""

        for header in headers:
            for line in header.read_text().splitlines():
                if line.startswith("#include") and not INCLUDE.match(line):
                    failures.append(f"{header.name}: {line} is not installed")
            # Twice: headers have guards.
            failures.append(compiles(f"#include <brokkr/{header.name}>\n" * 2))
        # GLM's types keep their layout when the program defines GLM's macros, or the headers report an error.
        frame = "#include <brokkr/frame.h>\n"
        failures.append(compiles(frame, "-DGLM_FORCE_XYZW_ONLY"))
        if "packed" not in compiles(frame, "-DGLM_FORCE_INTRINSICS", "-DGLM_FORCE_DEFAULT_ALIGNED_GENTYPES"):
            failures.append("frame.h: takes aligned GLM types, which the library does not have")
    failures = [f for f in failures if f]
    print("\n".join(failures) or f"{len(headers)} headers compile alone")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
