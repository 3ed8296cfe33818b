"""Programs that a step runs, and the exceptions that end a step."""
import os
import shutil
import signal
import subprocess

from command_line import ROOT

CUDA_PATHS = ["/usr/local/cuda/bin", "/opt/cuda/bin"]


class Skip(Exception):
    """A step cannot run here; the message says why."""


class Failed(Exception):
    """A step ran and found a fault. The second argument: its other findings."""


def tool(name):
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(CUDA_PATHS))


def run(command, seconds, log=None, env=None):
    """Returns exit status and output. The status is 124 if the limit ended the command with all its children."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", start_new_session=True, cwd=ROOT,
                               env=dict(os.environ, **(env or {})))
    try:
        output = process.communicate(timeout=seconds)[0]
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output = process.communicate()[0] + f"\nended after {seconds} s\n"
        status = 124
    if log:
        log.write_text(" ".join(map(str, command)) + "\n" + output)
    return status, output


def must_run(command, seconds, log, what):
    status, output = run(command, seconds, log)
    if status == 124:
        raise Failed(f"{what}: ended after {seconds:.0f} s; see {log.name}")
    if status != 0:
        last = [line for line in output.splitlines() if line.strip()][-3:]
        raise Failed(f"{what}: exit status {status}: " + " | ".join(last)[:600])
    return output
