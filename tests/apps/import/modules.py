"""Modules of SPIR-V for the tests of `brokkr import`, from texts that spirv-as assembles."""
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "src/apps/import"))


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


try:
    import spirv
except ImportError as error:
    skip(f"no {error.name}; install python3-numpy")
if shutil.which("spirv-as") is None:
    skip("no spirv-as; install spirv-tools")


def run(tool, data, *words):
    """Runs a program of spirv-tools on `data`. Returns its output."""
    return subprocess.run([tool, *words, "-", *(["-o", "-"] if tool == "spirv-as" else [])], input=data,
                          capture_output=True, check=True).stdout


def module(text, stage):
    return spirv.Module(run("spirv-as", text.encode(), "--target-env", "spv1.0"), stage, "main")
