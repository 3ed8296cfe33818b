"""Runs the programs that produce the machine code, compiler and disassembler, and reads the compiler's report."""
import glob
import os
import re
import shutil
import subprocess
import sys

from command_line import ROOT, Wrong

FLAGS = ["-std=c++20", "-O3", "-DNDEBUG", "--fmad=false", "--expt-relaxed-constexpr", "--extended-lambda",
         "-Isrc/engine", "-Ishaders", "-lineinfo", "-diag-suppress", "20012", "-Xptxas", "-v"]


def tool(name, option):
    found = option or shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin:/opt/cuda/bin")
    if not found:
        for place in sys.path:  # folders of pip packages
            found = next(iter(glob.glob(os.path.join(place, "nvidia", "*", "bin", name))), None)
            if found:
                break
    if not found:
        raise Wrong(f"{name}: not found; put it on the PATH or name it with --{name}")
    return found


def compile_kernel(options, name, folder):
    cubin = folder / f"{name}-{options.blocks_per_sm}.cubin"
    command = [tool("nvcc", options.nvcc), *FLAGS, f"-arch={options.architecture}",
               f"-DBROKKR_CUDA_BLOCKS_PER_SM={options.blocks_per_sm}", "-cubin", f"src/engine/pipeline/cuda/{name}.cu", "-o", str(cubin)]
    print("$ " + " ".join(command), file=sys.stderr, flush=True)
    report = call(command).stderr
    cubin.with_suffix(".ptxas").write_text(report)
    return cubin, report


def disassemble(disassembler, cubin):
    text = call([disassembler, "-g", "-c", str(cubin)]).stdout
    if ".section" not in text:
        raise Wrong(f"{cubin}: {disassembler} found no code in it; name a file that nvcc -cubin wrote")
    return text


def call(command):
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace")
    if run.returncode != 0:
        said = [line.strip() for line in run.stderr.splitlines() if line.strip()]
        errors = [line for line in said if "error" in line or "fatal" in line] or said or ["no message"]
        raise Wrong(f"{os.path.basename(command[0])}: exit status {run.returncode}: {' | '.join(errors)[:600]}")
    return run


def plain_name(symbol):
    filter_ = shutil.which("c++filt")
    if not filter_:
        raise Wrong("c++filt: not found; install the package binutils")
    text = subprocess.run([filter_, "-p", symbol.split("$")[-1]], capture_output=True, text=True).stdout.strip()
    text = re.sub(r"<.*>", "", text or symbol)
    return text.split("::")[-1].split(" ")[-1]


def spills(text):
    found = {}
    for symbol, stack, stores, loads in re.findall(
            r"Function properties for (\S+)\s+(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", text):
        found[plain_name(symbol)] = {"stack": int(stack), "spill_stores": int(stores), "spill_loads": int(loads)}
    used = re.search(r"Used (\d+) registers.*?(\d+) bytes cumulative stack", text)
    return found, {"registers": int(used.group(1)), "stack": int(used.group(2))} if used else {}
