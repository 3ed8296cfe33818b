"""The viewer on a virtual screen, as the tests of this folder drive it."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import png
from screen import Screen, Unavailable

BROKKR = sys.argv[1]
SOURCE = pathlib.Path(__file__).resolve().parents[3]
FRAME = SOURCE / "tests/frames/gl-feature-test.bkf"
OTHER = SOURCE / "tests/frames/minetest.bkf"
NOT_A_FRAME = b"BKF1 is what this is not"
ASIDE = (20, 400)  # parks the pointer, which Xvfb draws into its pixels, in the window but not over the image
SKIPPED = 77


def wait_for(what, condition, seconds=240):
    """The first true value of `condition`, looked at again and again; a busy computer may take long."""
    until = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > until:
            raise AssertionError(f"{what} did not come about within {seconds} s")
        time.sleep(0.02)


def rendered(folder, file, size, *options):
    """The rows that `brokkr render` draws."""
    out = folder / "rendered.png"
    subprocess.run([BROKKR, "render", str(file), "-o", str(out), "--size", f"{size[0]}x{size[1]}", *options], check=True,
                   stdout=subprocess.DEVNULL)
    return png.read(out)[0]


def has_color(rows, color, tolerance=12):
    near = lambda i, row: all(abs(row[i + c] - color[c]) <= tolerance for c in range(3))
    return sum(near(i, row) for row in rows[::3] for i in range(0, len(row) - 2, 9)) > 20


class Session:
    """A viewer with a window of `window` pixels that shows frames of `size` (None: as large as there is room). `words` are
    more of its command line; what it remembers from earlier is `settings`, or nothing; `start` comes before the command."""

    def __init__(self, screen, folder, window, size, *words, settings=None, start=()):
        self.screen, self.folder = screen, folder
        environment = dict(os.environ, DISPLAY=screen.name, XDG_CONFIG_HOME=str(folder / "config"),
                           XDG_CACHE_HOME=str(folder / "cache"))
        environment.pop("WAYLAND_DISPLAY", None)
        # Mesa needs two threads to draw a window of this size.
        environment.setdefault("LP_NUM_THREADS", "2")
        self.log = open(folder / "viewer.log", "w+")
        remembered = folder / "config" / "brokkr" / "viewer.json"
        if settings is not None:
            remembered.parent.mkdir(parents=True, exist_ok=True)
            remembered.write_text(json.dumps(settings))
        command = [*start, BROKKR, "view", *([] if settings is not None else ["--fresh"]), "--window", f"{window[0]}x{window[1]}",
                   *(["--size", f"{size[0]}x{size[1]}"] if size else [])]
        self.process = subprocess.Popen([*command, *map(str, words)], cwd=folder, env=environment, stderr=self.log)
        self.window = wait_for("a window", self.find_window)
        screen.move(*ASIDE)
        # A window receives keys after it has been drawn.
        wait_for("the user interface", self.has_menu)
        # Frames with a size of their own are compared pixel by pixel.
        if size:
            screen.key("z")

    def find_window(self):
        if self.process.poll() is not None:
            self.log.seek(0)
            raise AssertionError(f"the viewer ended with {self.process.returncode}: {self.log.read()}")
        windows = self.screen.windows()
        return windows[-1] if windows else None

    def has_menu(self):
        """Whether the menu bar's words stand at the top of the window."""
        x, y, _, _ = self.screen.geometry(self.window)
        return len(set(self.screen.raw(x, y + 10, 150, 16)[::4])) > 1

    def image(self, width, height):
        """The middle of the window, where the image is while everything else is hidden."""
        x, y, w, h = self.screen.geometry(self.window)
        # Round as the viewer does: the image's corner lies on a whole pixel.
        left, top = x + int(w / 2 - width / 2 + 0.5), y + int(h / 2 - height / 2 + 0.5)
        return self.screen.pixels(left, top, width, height)

    def shows(self, rows):
        return self.image(len(rows[0]) // 3, len(rows)) == rows

    def shows_error(self):
        x, y, w, h = self.screen.geometry(self.window)
        return has_color(self.screen.pixels(x, y + h // 2, w, h - h // 2), (77, 26, 26))

    def save(self, *modifiers):
        """Presses F12; the file that comes of it."""
        before = set(self.folder.glob("brokkr-*.png"))
        self.screen.key("F12", *modifiers)
        path = wait_for("a screenshot", lambda: next(iter(set(self.folder.glob("brokkr-*.png")) - before), None))
        self.last_shot = path
        return path

    def screenshot(self, *modifiers):
        """Rows and texts of the file that F12 saves."""
        return png.read(self.save(*modifiers))

    def settings(self):
        """Rows, settings and command of the frame that the window shows."""
        rows, texts = self.screenshot("Shift_L")
        return rows, json.loads(texts["Settings"]), texts["Command"]

    def facts(self):
        """Settings and command as above, without the rows, whose decoding takes seconds."""
        texts = png.texts(self.save("Shift_L"))
        return json.loads(texts["Settings"]), texts["Command"]

    def cpu_seconds(self):
        """That all threads of the viewer have used so far."""
        words = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def wait_for_rest(self, seconds=1.5, most=0.1):
        """Until the viewer takes almost no time of the CPU: what was under way when it was asked to rest may end."""
        def used():
            begin = self.cpu_seconds()
            time.sleep(seconds)
            return self.cpu_seconds() - begin
        wait_for("rest", lambda: used() <= most)

    def wait_for_cards(self):
        """Until the start screen has the pictures of all bundled frames and scenes, which it keeps on disk."""
        kinds = (".bkf", ".obj", ".glb", ".gltf", ".ply", ".stl")
        files = [file for name in ("scenes", "assets") for file in (SOURCE / name).iterdir() if file.suffix in kinds]
        # Neither a part of an example nor a frame with little to see is a card.
        cards = [file for file in files if file.name != "blade.obj" and (file.suffix != ".bkf" or file.stat().st_size >= 64 * 1024)]
        made = self.folder / "cache/brokkr/thumbnails"
        wait_for("the pictures of the start screen", lambda: len(list(made.glob("*.png"))) >= len(cards))
        self.wait_for_rest()

    def step(self, step, *arguments):
        """One step of a test, and how long it took."""
        begin = time.monotonic()
        step(self, *arguments)
        print(f"{step.__name__}: {time.monotonic() - begin:.1f} s", flush=True)

    def close(self):
        self.screen.ask_to_close(self.window)
        assert self.process.wait(60) == 0, "the viewer did not end well"
        self.log.seek(0)
        text = self.log.read()
        assert text == "", text


def on_a_screen(width, height, body, folder=None):
    """Runs body(screen, folder), in a new folder where none is named; the exit code."""
    with tempfile.TemporaryDirectory(prefix="brokkr-") as name:
        folder = pathlib.Path(folder or name).resolve()
        folder.mkdir(exist_ok=True)
        try:
            screen = Screen(folder, width, height)
        except Unavailable as missing:
            print(f"skipped: {missing}")
            return SKIPPED
        try:
            body(screen, folder)
        except Unavailable as missing:
            print(f"skipped: {missing}")
            return SKIPPED
        finally:
            screen.close()
    return 0
