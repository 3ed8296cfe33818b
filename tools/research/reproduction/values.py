"""Reads our value of a row from a measurement's CSV files, and compares it with the paper's.

A value of table.json:
  name     what it is
  paper    the paper's: a number, [least, most], {"least": n}, {"most": n}, or a text, which is shown and not compared
  from     CSV file in the measurement's results
  where    {column: value, or a list of them}; "max" and "min" stand for the column's greatest and least number
  column   the column that is read, or several, as in "a + b", whose sum is read
  take     how one number is made of several: only (the default: there must be one), first, max, min, mean, median, geomean,
           sum, count; argmin, argmax: the column's number for which the mean of column `by` is least or greatest;
           least-error: that for which the squared differences of the two columns `by` are least
  over     a second reading, as fields that replace those above (`where` adds to it); ours is the first divided by it
  scale    a factor; add: a number that is added
  text     instead of column: a regular expression; its first group, or the whole of it, is our value, and a text as well
  exact    true: no time is in it, so that it has to agree on every machine and in the quick form; else the tool fails
  from_one true: compared is the distance from 1, on the same side of 1 (speed-ups, ratios)
  each     {"name", "paper", "ours", "only"}: columns that make one value of every row of the file, where `paper` is filled
  optional true: the computer may lack what writes it (a driver)
  within   the part by which a number may differ and still agrees (0.15)
"""
import csv
import dataclasses
import gzip
import io
import math
import re
import statistics

from command_line import Wrong

AGREES, NEAR, SAME_SIDE, DIFFERS, SHOWN, UNREADABLE = "agrees", "near", "same side", "differs", "shown", "unreadable"
WITHIN, NEARLY = 0.15, 0.5


@dataclasses.dataclass(frozen=True)
class Compared:
    """`word` is one of the words above. `number` is our value divided by the paper's, or by the bound that it
    misses."""
    name: str
    paper: str
    ours: float | str
    word: str
    number: float | None
    modelled: bool = False
    measurement: str = ""
    exact: bool = False


def content_of(folder, name):
    path = folder / name
    packed = path.with_name(path.name + ".gz")
    try:
        return gzip.decompress(packed.read_bytes()).decode() if packed.exists() else path.read_text(encoding="utf-8")
    except OSError as error:
        raise Wrong(f"{path}: {error.strerror}; its measurement should have written it") from None


def rows_of(folder, name):
    return list(csv.DictReader(io.StringIO(content_of(folder, name), newline="")))


def number_of(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def sum_of(row, columns):
    """Returns the number of a column, or the sum of several; None if one has no number."""
    numbers = [number_of(row.get(column)) for column in columns.split(" + ")]
    return None if None in numbers else sum(numbers)


def chosen(rows, where, path):
    for column, wanted in where.items():
        if rows and column not in rows[0]:
            raise Wrong(f"{path}: there is no column '{column}'")
        if wanted in ("max", "min"):
            numbers = [number for row in rows if (number := number_of(row[column])) is not None]
            wanted = {"max": max, "min": min}[wanted](numbers, default=None)
        allowed = wanted if isinstance(wanted, list) else [wanted]
        rows = [row for row in rows if any(row[column] == str(item) or (number_of(row[column]) is not None
                                           and number_of(row[column]) == number_of(item)) for item in allowed)]
    return rows


def single(numbers):
    if len(numbers) != 1:
        raise ValueError(f"{len(numbers)} numbers where one is expected")
    return numbers[0]


TAKES = {"only": single, "first": lambda n: n[0], "max": max, "min": min, "mean": statistics.fmean, "median": statistics.median,
         "geomean": lambda n: math.exp(statistics.fmean(map(math.log, n))), "sum": sum}


def extreme(rows, column, take, by):
    """Returns the number of `column` whose rows have the extreme of `by`."""
    groups = {}
    for row in rows:
        at = number_of(row[column])
        if take == "least-error":
            part = [number_of(row[name]) for name in by]
            part = None if None in part else (part[0] - part[1]) ** 2
        else:
            part = number_of(row[by])
        if at is not None and part is not None:
            groups.setdefault(at, []).append(part)
    return (max if take == "argmax" else min)(groups, key=lambda at: statistics.fmean(groups[at]))


def read(value, folder):
    """Returns the number or the text that a value's fields name."""
    path = folder / value["from"]
    if "text" in value:
        found = re.search(value["text"], content_of(folder, value["from"]))
        if not found:
            raise Wrong(f"{path}: '{value['name']}': nothing there matches {value['text']}")
        return " ".join(found.group(found.re.groups and 1).split())
    rows, take, column = chosen(rows_of(folder, value["from"]), value.get("where", {}), path), value.get("take", "only"), value.get("column", "")
    try:
        if take == "count":
            ours = float(len(rows))
        elif take in ("argmin", "argmax", "least-error"):
            ours = extreme(rows, column, take, value["by"])
        else:
            numbers = [number for row in rows if (number := sum_of(row, column)) is not None]
            ours = TAKES[take](numbers) if numbers else None
            if ours is None:
                raise ValueError("no number")
    except (IndexError, KeyError, ValueError) as error:
        raise Wrong(f"{path}: '{value['name']}': {error or 'no number'} (column {column}, where {value.get('where', {})})") from None
    if "over" in value:
        below = {**{key: value[key] for key in value if key not in ("over", "scale", "add")}, **value["over"]}
        if "where" in value["over"]:
            below["where"] = {**value.get("where", {}), **value["over"]["where"]}
        ours /= read(below, folder)
    return ours * value.get("scale", 1) + value.get("add", 0)


def compare(paper, ours, within=WITHIN, from_one=False):
    """Returns the word and the number of an agreement."""
    if isinstance(ours, str):
        return (AGREES if ours == paper else DIFFERS), None
    if isinstance(paper, str) or paper is None:
        return SHOWN, None
    if isinstance(paper, dict):
        (kind, bound), = paper.items()
        paper = [bound, math.inf] if kind == "least" else [-math.inf, bound]
    if isinstance(paper, list):
        least, most = paper
        if least <= ours <= most:
            return AGREES, None
        bound = least if ours < least else most
    else:
        bound = least = most = paper
    number = ours / bound if bound else None
    if abs(ours - bound) <= within * abs(bound):
        return AGREES, number
    if abs(ours - bound) <= NEARLY * abs(bound):
        return NEAR, number
    if from_one and bound != 1 and (ours > 1) == (bound > 1):
        return SAME_SIDE, number
    return DIFFERS, number


def text_of(paper):
    if isinstance(paper, dict):
        (kind, bound), = paper.items()
        return f"{'≥' if kind == 'least' else '≤'} {shown(bound)}"
    if isinstance(paper, list):
        return f"{shown(paper[0])} … {shown(paper[1])}"
    return paper if isinstance(paper, str) else "" if paper is None else shown(paper)


def shown(number):
    if isinstance(number, str):
        return number
    if number != 0 and (abs(number) >= 10000 or abs(number) < 0.01):
        return f"{number:.3g}".replace("e-0", "e-").replace("e+0", "e")
    return f"{number:.0f}" if abs(number) >= 1000 else f"{number:.4g}" if abs(number) >= 100 else f"{number:.3g}"


def each_of(value, folder):
    """Yields one value for every row of a file that has the paper's number beside it."""
    columns = value["each"]
    for row in chosen(rows_of(folder, value["from"]), value.get("where", {}), folder / value["from"]):
        paper, ours = number_of(row[columns["paper"]]), number_of(row[columns["ours"]])
        if ours is not None and (paper is not None or not columns.get("only")):
            yield {**value, "name": row[columns["name"]], "paper": paper}, ours


def compared(row, folder_of):
    """Yields the values of a row. They are compared if the measurement has results; otherwise `folder_of` returns
    None."""
    for value in row.values:
        name = value.get("measurement", row.measurement)
        folder = folder_of(name)
        if folder is None:
            if "each" not in value:
                yield Compared(value["name"], text_of(value.get("paper")), "", "", None, value.get("modelled", False), name)
            continue
        try:
            pairs = list(each_of(value, folder)) if "each" in value else [(value, read(value, folder))]
        except Wrong as error:
            ours, word = ("", "") if value.get("optional") else (str(error), UNREADABLE)
            yield Compared(value["name"], text_of(value.get("paper")), ours, word, None, measurement=name)
            continue
        for one, ours in pairs:
            word, number = compare(one.get("paper"), ours, value.get("within", WITHIN), value.get("from_one", False))
            yield Compared(one["name"], text_of(one.get("paper")), ours, word, number, value.get("modelled", False), name,
                           value.get("exact", False))
