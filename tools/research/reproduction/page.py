"""Writes docs/research/reproduction.md from the table and the kept results: every number on it comes from a file that
the tool kept."""
import pathlib

from command_line import ROOT, Wrong

from . import runs, values
from .table import VERDICTS, measurements_of

HEAD = """# The papers, reproduced

`tools/reproduce` made this page. Do not edit it; edit
[table.json](../../tools/research/reproduction/table.json), which has the rows, or run the tool again. The papers are in
[references](../reference/references.md).

```sh
tools/reproduce               # everything: a night; what has been measured with this code is left out
tools/reproduce --quick       # every command in a form of seconds: some minutes; the page goes to out/reproduce
tools/reproduce 4.2 kim17     # some rows: a figure, a paper, or a measurement
tools/reproduce --list        # rows, commands, times
tools/reproduce --machine cuda  # also what needs a GPU
```

"""
HOW = """**Agreement** compares our value with the paper's: *agrees* within 15 % (or within the bounds that the paper names), *near*
within 50 %, *same side* where both gain or both lose, else *differs*. The number beside it is ours over the paper's.
**Kind** says what our value is: *measured* by a clock, *modelled* by a model of ranks, of a GPU or of SIMT cores,
*counted*, or *drawn*. **Verdict** says how much of the figure is repeated: *whole*, *partly*, *GPU alone* (what is
missing is a GPU and nothing else), or *absent*; the reason is below each table. Inputs that cannot be had (games, scans, graphs,
benchmarks) are replaced by others of their kind; the note says so, and for that alone no row is *partly*. A value in italics comes
from the quick form of its command: it shows that the command works, and is no measurement.

"""
AGREEMENTS = (values.AGREES, values.NEAR, values.SAME_SIDE, values.DIFFERS)


def link(paths):
    return " ".join(f"[{pathlib.PurePath(path).stem}]({path})" for path in paths)


def side_by_side(paths):
    """Returns the pictures of a row as a table of one line."""
    shown = [f"![{pathlib.PurePath(path).stem}]({path})" for path in paths]
    return "| " + " | ".join(shown) + " |\n|" + "---|" * len(shown)


def cell(text):
    return " ".join(str(text).replace("|", "\\|").split())


def lines_of(row, results):
    """Returns the table lines of a row, the words of its agreements, and a line for each exact value that does not
    agree."""
    def folder_of(name):
        return results / name if runs.record_of(results, name) else None

    def shown(value):
        if value.ours == "" or value.word == values.UNREADABLE:
            return "–"
        record = runs.record_of(results, value.measurement)
        text = values.shown(value.ours) + (" (modelled)" if value.modelled else "")
        return f"*{text}*" if record["form"] == "quick" else text

    def counts(value):
        """Returns true if the value counts: a quick form measures nothing, but exact values agree in any form."""
        return value.ours != "" and (value.exact or runs.record_of(results, value.measurement)["form"] == "whole")

    compared = list(values.compared(row, folder_of))
    lines, words = [], []
    pictures = link(row.pictures)
    for place, value in enumerate(compared or [None]):
        first = place == 0
        agreement = ""
        if value and value.word != values.SHOWN and counts(value):
            agreement = value.word + (f" {value.number:.2f}" if value.number is not None else "")
            words.append(value.word)
        lines.append([f"**{row.figure}**" if first else "", (row.what if first else ""), value.name if value else pictures,
                      value.paper if value else row.paper, shown(value) if value else "", agreement,
                      row.verdict if first else "", row.measurement if first else ""])
    return ["| " + " | ".join(map(cell, line)) + " |" for line in lines], words, [
        f"{row.name}: {value.name}: the paper has {value.paper}, here it is {values.shown(value.ours)}" for value in compared
        if value.exact and value.ours != "" and value.word != values.AGREES] + [
        f"{row.name}: {value.ours}" for value in compared if value.word == values.UNREADABLE]


def print_values(rows, results):
    """Prints the values of measured rows beside the paper's."""
    for row in rows:
        for value in values.compared(row, lambda name: results / name if runs.record_of(results, name) else None):
            if value.ours != "" and value.word != values.UNREADABLE:
                agreement = "" if value.word == values.SHOWN else f": {value.word}" + (f" {value.number:.2f}" if value.number is not None else "")
                print(f"{row.name}: {value.name}: {values.shown(value.ours)}, paper {value.paper or '-'}{agreement}")


def table_of(rows, results):
    text = "| figure | what | value | paper | here | agreement | verdict | measurement |\n|---|---|---|---|---|---|---|---|\n"
    words, broken = [], []
    for row in rows:
        lines, mine, faults = lines_of(row, results)
        text += "\n".join(lines) + "\n"
        words += mine
        broken += faults
    notes = [f"- **{row.figure}**: {cell(row.missing)}" for row in rows if row.missing]
    said = [f"- **{row.figure}**, the paper: {cell(row.paper)}" for row in rows if row.paper and row.values]
    shown = [f"**{row.figure}**: {cell(row.what)}\n\n{side_by_side(row.pictures)}" for row in rows if row.pictures]
    parts = ["\n".join(lines) for lines in (notes, said)] + ["\n\n".join(shown)]
    return text + "".join(f"\n{part}\n" for part in parts if part), words, broken


def measurements_text(measurements, results):
    text = "| measurement | command | form | date | commit | seconds | of the processor | machine |\n|---|---|---|---|---|---|---|---|\n"
    for measurement in measurements.values():
        record = runs.record_of(results, measurement.name)
        command = "<br>".join(f"`{cell(c)}`" for c in (record["commands"] if record else measurement.whole))
        if record is None:
            line = [measurement.name, command, "not run", "", "", "", "", ""]
        else:
            where = record["machine"]
            line = [measurement.name, command, record["form"], record["date"], record["commit"] + (" and changes" if record["changed"] else ""),
                    record["seconds"], record.get("processor_seconds", ""), f"{where['processor']}, {where['cores']} cores, load {record['load']}"]
        text += "| " + " | ".join(map(str, line)) + " |\n"
    return text


def is_only_quick(row, results):
    """Returns true if all values of a row come from quick forms."""
    forms = {record["form"] for name in measurements_of([row]) if (record := runs.record_of(results, name))}
    return forms == {"quick"}


def write(path, seeds, measurements, rows, results):
    """Writes the page. Returns {agreement: count} of all values, and the exact values that do not agree."""
    parts, words, broken = [], [], []
    for seed, title in seeds.items():
        mine = [row for row in rows if row.seed == seed]
        if mine:
            text, some, faults = table_of(mine, results)
            broken += faults
            parts.append(f"## {title}\n\n{text}\n")
            words += some
    counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in VERDICTS}
    agreements = {word: words.count(word) for word in AGREEMENTS}
    quick = sum(row.verdict == "whole" and is_only_quick(row, results) for row in rows)
    summary = f"{len(rows)} rows: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()) + ". "
    summary += f"{quick} of the whole rows have been run in their quick form alone. " if quick else ""
    summary += f"{sum(agreements.values())} values are compared: " + ", ".join(f"{n} {word}" for word, n in agreements.items()) + ".\n\n"
    kept = "The measurements, and the folder of [results](results/reproduction) that keeps each: CSV files, and `run.json` with machine,\ncommit and commands.\n\n"
    text = HEAD + summary + HOW + "".join(parts) + "## Measurements\n\n" + kept + measurements_text(measurements, results)
    if path.parent != ROOT / "docs/research":
        text = text.replace("](results/reproduction)", "](results)")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Wrong(f"{path}: {error.strerror}") from None
    return agreements, broken
