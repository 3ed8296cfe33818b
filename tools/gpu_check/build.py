"""Steps that inspect the computer, build for it, and check the build."""
import glob
import os
import pathlib
import platform
import re
import shutil
import sys

from command_line import ROOT

from .process import Failed, Skip, must_run, run, tool


def environment(check):
    found = {"host": platform.platform(), "cores": os.cpu_count(), "nvcc": None, "gpus": []}
    if tool("nvcc"):
        found["nvcc"] = run([tool("nvcc"), "--version"], 30)[1].strip().splitlines()[-1]
    if tool("nvidia-smi"):
        query = "--query-gpu=name,compute_cap,driver_version,memory.total,clocks.max.sm"
        status, output = run([tool("nvidia-smi"), query, "--format=csv,noheader"], 60)
        if status == 0:
            keys = ["name", "compute_capability", "driver", "memory", "max_clock"]
            found["gpus"] = [dict(zip(keys, map(str.strip, line.split(",")))) for line in output.splitlines() if line]
    check.gpu = found["gpus"][0] if found["gpus"] else None
    if check.options.rehearse and not check.gpu:
        check.gpu = {"name": "none: a rehearsal on the CPU", "compute_capability": "9.0"}
    revision = run(["git", "rev-parse", "HEAD"], 30)
    found["revision"] = revision[1].strip() if revision[0] == 0 else "unknown"
    found["rehearsal"] = check.options.rehearse
    before = (check.before or {"found": found})["found"]
    if any(before.get(key) != found[key] for key in ("revision", "gpus", "rehearsal")):
        print("another revision or GPU than before: everything is done again", file=sys.stderr)
        check.kept = {}
    return found


def build(check):
    if check.options.prebuilt:
        return {"directory": str(check.build_dir), "prebuilt": True}
    if not tool("nvcc"):
        raise Skip("no nvcc on the PATH or in /usr/local/cuda/bin; give --prebuilt DIR")
    if not shutil.which("cmake"):
        raise Skip("no cmake; give --prebuilt DIR")
    tests = "ON" if has_gtest() else "OFF"
    if not check.options.rehearse:
        check.second_build = check.pool.submit(compile_in, check, *two_blocks(check))
    targets = ["brokkr_cli"] + (["brokkr_cuda_test"] if tests == "ON" else [])
    compile_in(check, check.build_dir, "build", targets, [f"-DBROKKR_TESTS={tests}", "-DBROKKR_CUDA_BLOCKS_PER_SM=1"])
    return {"directory": str(check.build_dir), "tests": tests == "ON"}


def two_blocks(check):
    return check.two_dir, "two", ["brokkr_cli"], ["-DBROKKR_CUDA_BLOCKS_PER_SM=2", "-DBROKKR_TESTS=OFF", "-DBROKKR_REFERENCE=OFF"]


def compile_in(check, folder, name, targets, settings):
    architecture = check.gpu["compute_capability"].replace(".", "") + "-real" if check.gpu else "90-real"
    configure = ["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DBROKKR_CUDA=ON",
                 f"-DCMAKE_CUDA_ARCHITECTURES={architecture}", f"-DBROKKR_ISAS={best_isa()}", *settings]
    if shutil.which("ninja"):
        configure += ["-G", "Ninja"]
    if check.options.prefix:
        configure += [f"-DCMAKE_PREFIX_PATH={check.options.prefix}"]
    must_run(configure, check.limit(120), check.output / f"{name}-configure.log", "configuring")
    command = ["cmake", "--build", folder, "--parallel", str(os.cpu_count() or 2), "--target"]
    must_run(command + targets, check.limit(check.options.build_seconds), check.output / f"{name}.log", "building")


def best_isa():
    """Returns the CPU machine for comparisons; empty: all machines of this processor."""
    try:
        flags = set(re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M).group(1).split())
    except (OSError, AttributeError):
        return ""
    if {"avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512cd"} <= flags:
        return "v4"
    return "v3" if {"avx2", "fma", "bmi2"} <= flags else "v2"


def build_two(check):
    if check.options.prebuilt and not check.options.prebuilt_two:
        raise Skip("--prebuilt-two names no build directory with BROKKR_CUDA_BLOCKS_PER_SM=2")
    if check.second_build is not None:
        check.second_build.result()
    elif check.options.rehearse:
        if not check.options.prebuilt_two:
            raise Skip("not needed in a rehearsal; --prebuilt-two names one")
    elif not check.options.prebuilt:
        compile_in(check, *two_blocks(check))
    return {"directory": str(check.two_dir)}


def has_gtest():
    return any(os.path.exists(os.path.join(path, "gtest/gtest.h")) for path in ("/usr/include", "/usr/local/include"))


def kernels_of(report):
    """Returns ptxas' report of each kernel."""
    pattern = (r"Compiling entry function '(\S+)' for '(\S+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, "
               r"(\d+) bytes spill loads.*?Used (\d+) registers")
    return [{"kernel": name, "architecture": arch, "registers": int(registers), "stack": int(stack), "spill_stores": int(stores),
             "spill_loads": int(loads)} for name, arch, stack, stores, loads, registers in re.findall(pattern, report, re.S)]


def ptxas(check):
    reports = glob.glob(str(check.build_dir / "src" / "**" / "*.ptxas"), recursive=True)  # kernels of tests are exempt
    if not reports:
        raise Skip("no ptxas report beside the objects (nothing was built here)")
    kernels = [kernel for report in reports for kernel in kernels_of(pathlib.Path(report).read_text(errors="replace"))]
    spilled = [kernel["kernel"] for kernel in kernels if kernel["spill_stores"] or kernel["spill_loads"]]
    if not kernels:
        raise Failed("no kernel in the ptxas reports")
    result = {"kernels": kernels}
    if spilled:
        raise Failed(f"{len(spilled)} of {len(kernels)} kernels spill registers: {', '.join(sorted(set(spilled)))[:300]}", result)
    return result


def cuda_tests(check):
    candidates = glob.glob(str(check.build_dir / "**" / "brokkr_cuda_test"), recursive=True)
    if not candidates:
        raise Skip("brokkr_cuda_test was not built (libgtest-dev is missing, or the build failed)")
    status, output = run([candidates[0]], check.limit(120), check.output / "cuda-tests.log")
    if status == 77:
        raise Skip(output.strip().splitlines()[-1] if output.strip() else "no GPU")
    if status != 0:
        raise Failed(f"exit status {status}; see cuda-tests.log")
    passed = re.search(r"\[  PASSED  \] (\d+) tests", output)
    return {"passed": int(passed.group(1)) if passed else None}
