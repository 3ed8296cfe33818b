"""Forks, threads, Ctrl-C, memory."""
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import brokkr_render as brokkr
from conftest import sphere


def picture(renderer):
    p, f, n, _ = sphere()
    return renderer.render(brokkr.Mesh(p, f, normals=n), size=(32, 32)).color


def in_child(queue, renderer):
    queue.put(picture(renderer).tobytes())


def test_a_forked_child_draws():
    renderer = brokkr.Renderer("cpu", workers=2)
    want = picture(renderer).tobytes()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=in_child, args=(queue, renderer))
    child.start()
    assert queue.get(timeout=60) == want
    child.join(60)
    assert child.exitcode == 0 and picture(renderer).tobytes() == want


def test_threads_share_and_own_renderers():
    shared, want, wrong = brokkr.Renderer("cpu"), picture(brokkr.Renderer("cpu")), []

    def work(own):
        renderer = brokkr.Renderer("cpu", workers=1) if own else shared
        for _ in range(5):
            if not np.array_equal(picture(renderer), want):
                wrong.append(own)

    threads = [threading.Thread(target=work, args=(i % 2 == 0,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


LONG = """
import signal, time, brokkr_render as brokkr
r = brokkr.Renderer("emulated", workers=1)
p = r.prepare("generated:sphere-100k", size=(2048, 2048), views=8)
def on_signal(*_):
    global when
    when = time.perf_counter()
    raise KeyboardInterrupt
signal.signal(signal.SIGINT, on_signal)
print("ready", flush=True)
try:
    p.render()
    print("finished")
except KeyboardInterrupt:
    print("stopped", time.perf_counter() - when, flush=True)
print(p.renderer.render("generated:sphere-100k?triangles=100", size=(8, 8)).aborted)
"""


def test_ctrl_c_ends_a_launch():
    """The handler runs, and the launch ends: the emulated machine is slow, so that there is a launch to end."""
    child = subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    sent = time.perf_counter()
    child.send_signal(signal.SIGINT)
    words = child.stdout.readline().split()
    assert words and words[0] == "stopped", words
    # 100 ms where each thread has a processor (1 s of the emulated machine); this may be a busy computer.
    assert time.perf_counter() - sent < 10
    assert child.stdout.readline() == "False\n" and child.wait(60) == 0


def test_memory_does_not_grow():
    p, f, n, _ = sphere(6, 8)
    mesh = brokkr.Mesh(p, f, normals=n)
    renderer = brokkr.Renderer("cpu", workers=1)
    ready = renderer.prepare(mesh, size=(16, 16), outputs=("color", "depth"))

    def held():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    def work(n):
        for _ in range(n):
            ready.render()
        for _ in range(n // 100):
            renderer.prepare(mesh, size=(16, 16)).render()

    work(300)
    before = held()
    work(3000)
    assert held() - before < 8 << 20


@pytest.mark.skipif(not os.path.exists("/sys/fs/cgroup/cpu.max"), reason="no cgroup v2 here")
def test_quota_counts_for_workers():
    quota, period = open("/sys/fs/cgroup/cpu.max").read().split()
    cpu = next(m for m in brokkr.machines() if m["name"] == "CPU" and m["available"])
    most = len(os.sched_getaffinity(0))
    if quota != "max":
        most = min(most, max(1, -(-int(quota) // int(period))))
    assert 1 <= cpu["workers"] <= most
