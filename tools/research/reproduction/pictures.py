"""Pictures and tables of the pages, from the results of measurements."""
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import pathlib

from command_line import ROOT, Wrong


def words_of(text):
    return " ".join(text.replace("\\\n", " ").split())


def page_lacks(measurement):
    """Returns the command that is missing on the measurement's page, word for word."""
    if not measurement.page:
        return ""
    page = words_of(re.sub(r"  #.*", "", (ROOT / "docs" / measurement.page).read_text(encoding="utf-8")))
    return next((command for command in measurement.whole if words_of(command) not in page), "")


def last_commit(paths):
    """Returns time, short name and subject of the last commit that touched one of the paths; None if there is none."""
    command = ["git", "log", "-1", "--format=%ct%x09%h%x09%s", "--", *paths]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if run.returncode != 0:
        raise Wrong(f"git log: {run.stderr.strip()}; --check needs a checkout with its history")
    time, *rest = run.stdout.strip().split("\t") if run.stdout.strip() else ("",)
    return (int(time), *rest) if time else None


def check(measurements):
    """Prints pages without their command, and pictures that are older than the code they measure. Returns an exit status."""
    wrong = 0
    for measurement in measurements:
        if lacks := page_lacks(measurement):
            print(f"docs/{measurement.page}: has not the command of {measurement.name}: {lacks}")
            wrong += 1
        code = last_commit(measurement.measures) if measurement.pictures else None
        for picture in measurement.pictures:
            made = last_commit([f"docs/images/{picture}"])
            if made is None or code is None:
                print(f"docs/images/{picture}: not in the history, or nothing that it measures is")
            elif made[0] < code[0]:
                print(f"docs/images/{picture}: older by {(code[0] - made[0]) / 86400:.1f} days than {code[1]} ({code[2]})")
            else:
                continue
            wrong += 1
    return 1 if wrong else 0


def write_tables(measurement, printed, change):
    """Replaces each table of the page that follows a line <!-- table: TITLE --> by the printed one. Without `change` it
    only checks that all of the page's tables exist."""
    made = dict(re.findall(r"^(\S[^\n]*)\n\n((?:\|[^\n]*\n)+)", printed, re.MULTILINE))
    if measurement.tables is not True:
        made = {title: text for title, text in made.items() if title.startswith(measurement.tables)}
    path = ROOT / "docs" / measurement.page
    page, found = path.read_text(encoding="utf-8"), 0

    def replaced(match):
        nonlocal found
        if match.group(1) not in made:
            return match.group(0)
        found += 1
        return f"<!-- table: {match.group(1)} -->\n{made[match.group(1)]}"

    page = re.sub(r"<!-- table: (.*) -->\n((?:\|.*\n)*)", replaced, page)
    if not found:
        raise Wrong(f"{measurement.name}: docs/{measurement.page} has none of the tables that {measurement.plot} printed: {', '.join(made)}")
    if change:
        path.write_text(page, encoding="utf-8")


def draw(measurement, places, quick):
    """Draws a measurement's pictures into `places.images`. In the whole form it also writes the page's tables."""
    if not measurement.plot:
        return
    with tempfile.TemporaryDirectory() as folder:
        words = [str(ROOT / measurement.plot), str(places.work / measurement.folder), "--output", folder] + (["--markdown"] if measurement.tables else [])
        print("$ " + shlex.join(words), file=sys.stderr, flush=True)
        done = subprocess.run(words, cwd=places.work, stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise Wrong(f"{measurement.name}: `{shlex.join(words)}` ended with {done.returncode}")
        if measurement.tables:
            write_tables(measurement, done.stdout, not quick)
        for picture in measurement.pictures:
            made = pathlib.Path(folder) / picture
            if made.exists():
                shutil.copy(made, places.images)
            elif not quick:
                raise Wrong(f"{measurement.name}: {measurement.plot} did not draw {picture}")
