"""A CUDA frame that hangs, or that the device cannot run, ends with words: on the PTX interpreter, with faults planted in
the kernel's PTX. Argument: the program."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BROKKR = sys.argv[1]
FRAME = ["generated:overlap-10k?triangles=300", "--machine", "cuda", "--size", "96x72", "--no-output"]
MOST_SECONDS = 300  # limit for a run that ends by itself


def draw(options=(), **environment):
    # On a device with a GPU's clock, the limit is in real seconds.
    done = subprocess.run([BROKKR, "render", *FRAME, *options],
                          env={**os.environ, "BROKKR_PTX_MHZ": "1000", "BROKKR_CUDA_KERNEL": "all", **environment},
                          capture_output=True, text=True, timeout=MOST_SECONDS)
    return done.returncode, done.stderr


def kernel(folder):
    """Name and lines of the frame's module."""
    status, said = draw(BROKKR_PTX_TEXT=folder)
    assert status == 0, said
    module = next(path for path in pathlib.Path(folder).glob("*.ptx") if re.search(r"\.entry \w*9run_frame[A-Z]", path.read_text()))
    return module.name, module.read_text().splitlines(True)


def hand_overs(lines):
    """The lines at which one warp hands something to another: tickets of queues, claims, the watermark."""
    at = [i for i, line in enumerate(lines) if re.match(r"\s*st\.release\.", line)]
    assert at, "nothing is handed over in the kernel's text"
    return at


def with_fault(name, lines, i, text):
    folder = tempfile.TemporaryDirectory()
    pathlib.Path(folder.name, name).write_text("".join(lines[:i] + [text] + lines[i + 1:]))
    return folder


def error_of(said):
    return [line for line in said.splitlines() if line.startswith("brokkr") and "CUDA: " in line]


def lost_hand_overs(name, lines):
    """What is never handed over others wait for. The waits end, and the frame fails."""
    hung = 0
    for i in hand_overs(lines):
        with with_fault(name, lines, i, "\n") as folder:
            status, said = draw(["--gpu-timeout", "1"], BROKKR_PTX_TEXT=folder)
        if status == 0:
            continue  # this frame does not wait there
        hung += 1
        assert status == 1, said
        assert re.search(r"makes no progress:\n  abort word 0\n  tasks: \d+ in all, \d+ taken, \d+ complete, watermark \d+\n"
                         r"  rasterizers: \d+ in all, \d+ finished\n", said), said
        (line,) = error_of(said)
        assert re.search(r"made no progress for 1 s \(\d+ of \d+ tasks are complete, \d+ of \d+ rasterizers have "
                         r"finished\) and was ended; a larger gpu_timeout_s waits longer \(--gpu-timeout\)$", line), line
    assert hung > 0, "nothing that is lost stops a frame"


def endless_loop(name, lines):
    """A warp that looks at nothing: the launch cannot be ended, the program can."""
    i = hand_overs(lines)[0]
    with with_fault(name, lines, i, "$L__for_ever:\nbra.uni $L__for_ever;\n" + lines[i]) as folder:
        status, said = draw(["--gpu-timeout", "1"], BROKKR_PTX_TEXT=folder)
    assert status == 1, (status, said)
    (line,) = error_of(said)
    assert "does not end; restart the program" in line, line


def launches_that_are_refused():
    for graph in ("1", "0"):
        status, said = draw(BROKKR_PTX_COOPERATIVE="1", BROKKR_CUDA_GRAPH=graph)
        assert status == 1, said
        assert [line for line in said.splitlines() if line.startswith("brokkr")] == error_of(said), said
        (line,) = error_of(said)
        assert re.search(r"cannot run all \d+ blocks of a frame at once", line) and "fewer workers" in line, line
        status, said = draw(["--workers", "1"], BROKKR_PTX_COOPERATIVE="1", BROKKR_CUDA_GRAPH=graph)
        assert status == 0, said
    status, said = draw(BROKKR_PTX_COOPERATIVE="0")
    assert status == 1, said
    (line,) = error_of(said)
    assert "no cooperative launches" in line and "--machine cpu" in line, line


def main():
    launches_that_are_refused()
    with tempfile.TemporaryDirectory() as folder:
        name, lines = kernel(folder)
    lost_hand_overs(name, lines)
    endless_loop(name, lines)


main()
