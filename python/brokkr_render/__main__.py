"""`python -m brokkr_render …` is the command line of Brokkr."""
import os
import pathlib
import sys


def main() -> None:
    program = pathlib.Path(__file__).parent / "bin" / "brokkr"
    if not program.exists():
        sys.exit(f"brokkr_render: {program} is missing; this installation was built without the command line")
    os.execv(program, ["brokkr", *sys.argv[1:]])


if __name__ == "__main__":
    main()
