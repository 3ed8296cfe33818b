"""Runs a build by ninja, writes its output to a log, and shows its progress.

    build_progress.py LOG NAME COMMAND...

On a terminal, one line shows the number of steps and the time left. The estimate assumes that the remaining steps take
as long as the finished ones. Elsewhere it prints a line every 20 seconds. The last line of the log is the processor
time of all commands. The exit status is the command's; after a failure the log's end is shown.
"""
import os
import re
import resource
import subprocess
import sys
import time

STEP = re.compile(r"^\[(\d+)/(\d+)\]")
SECONDS_BETWEEN_LINES = 20
BAR = 24


def duration(seconds):
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


class Progress:
    def __init__(self, name, stream):
        self.name, self.stream = name, stream
        self.on_terminal = stream.isatty()
        self.begin = self.shown = time.monotonic()

    def show(self, done, steps):
        now = time.monotonic()
        left = (now - self.begin) * (steps - done) / done if done else 0
        text = f"{done} of {steps} steps"
        if now - self.begin > 3 and done < steps:
            text += f", about {duration(left)} left"
        if self.on_terminal:
            bar = "#" * (BAR * done // steps)
            self.stream.write(f"\r\033[K{self.name} [{bar:<{BAR}}] {text}")
            self.stream.flush()
        elif now - self.shown >= SECONDS_BETWEEN_LINES:
            self.shown = now
            print(f"{self.name}: {text}", file=self.stream, flush=True)

    def end(self):
        if self.on_terminal:
            self.stream.write("\r\033[K")
            self.stream.flush()


def main():
    if len(sys.argv) < 4:
        print("usage: build_progress.py LOG NAME COMMAND...", file=sys.stderr)
        return 2
    log_file, name, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    progress = Progress(name, sys.stderr)
    environment = {**os.environ, "NINJA_STATUS": "[%f/%t] "}
    with open(log_file, "a", encoding="utf-8") as log:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", bufsize=1,
                              env=environment) as build:
            for line in build.stdout:
                log.write(line)
                found = STEP.match(line)
                if found and int(found.group(2)) > 0:
                    progress.show(int(found.group(1)), int(found.group(2)))
        progress.end()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        log.write(f"processor time: {used.ru_utime + used.ru_stime:.0f} s\n")
    if build.returncode != 0:
        with open(log_file, encoding="utf-8", errors="replace") as log:
            print("".join(log.readlines()[-40:]), end="", file=sys.stderr)
    return build.returncode


if __name__ == "__main__":
    sys.exit(main())
