"""Forks, threads, Ctrl-C, memory."""
import multiprocessing
import os
import resource
import subprocess
import sys
import threading

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
import os, signal, statistics, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start background jobs without it
import brokkr_render as brokkr
used = []
ready = brokkr.Renderer("cpu", workers=1).prepare("generated:sphere-100k", size=(256, 256), views=100)

def interrupt():
    global sent
    time.sleep(0.15)
    sent = time.process_time()
    os.kill(os.getpid(), signal.SIGINT)

for attempt in range(5):
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        ready.render()
        print("finished")
    except KeyboardInterrupt:
        used.append(time.process_time() - sent)
    thread.join()
print(len(used), statistics.median(used))
print(ready.renderer.render("generated:sphere-100k?triangles=100", size=(8, 8)).aborted)
"""


def test_ctrl_c_ends_a_launch():
    """The launch is left within 100 ms. We count the processor time that it takes after the signal, on one thread, since
    a busy computer adds only to the time on the clock."""
    done = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    count, median = done.stdout.splitlines()[0].split()
    assert count == "5" and float(median) < 0.1, done.stdout
    assert done.stdout.splitlines()[1] == "False"


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


def test_threads_draw_and_change_one_batch():
    """Each picture is one of a state that some thread has set, as far as that can be seen, and nothing crashes."""
    p, f, n, uv = sphere()
    mesh = brokkr.Mesh(p, f, normals=n, uv=uv, material=brokkr.Material(base_color_texture=np.full((32, 32, 3), 200, np.uint8)))
    ready = brokkr.Renderer("cpu", workers=2).prepare(mesh, size=(48, 48), views=4)
    cameras, texels = brokkr.Camera.orbit(4), np.full((32, 32, 3), 200, np.uint8)
    ready.set_cameras(cameras)
    want, wrong = ready.render()["color"], []
    changes = [lambda: ready.set_cameras(cameras), lambda: ready.set_positions(mesh, p, normals=n),
               lambda: ready.set_poses(np.eye(4)[None]), lambda: ready.set_texture(mesh, texels)]

    def work(call, rounds):
        try:
            for _ in range(rounds):
                picture = call()
                if picture is not None and not np.array_equal(picture["color"], want):
                    wrong.append("another picture")
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(call, 60)) for call in [ready.render, *changes] * 2]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
