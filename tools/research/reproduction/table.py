"""The rows and the measurements of table.json: every figure, table and experiment of the papers, and the commands that make them.

A row describes what a paper shows, the measurement that repeats it, the paper's values and the way to read ours
(values.py). A measurement is one command or several, with a form in seconds for --quick; many rows may read one
measurement.
"""
import dataclasses
import json
import pathlib

from command_line import Wrong

FILE = pathlib.Path(__file__).with_name("table.json")
VERDICTS = ("whole", "partly", "GPU alone", "absent")
KINDS = ("measured", "modelled", "counted", "drawn")
NEEDS = ("simt", "captures", "valgrind", "mpi", "gpu")


@dataclasses.dataclass(frozen=True)
class Measurement:
    """`whole` and `quick` are commands that run from one folder and write below `folder`. With `timing`, the whole form runs
    alone. `page` of docs has the whole command word for word; `plot` draws docs/images/`pictures` from its results, and with
    `tables` writes the page's tables: all, or those whose titles begin so. `measures` are files and folders of the code that
    the numbers come from."""
    name: str
    whole: tuple
    quick: tuple
    folder: str
    minutes: float
    seconds: float
    timing: bool = False
    needs: tuple = ()
    keep: tuple = ("*.csv", "*.json")
    leave: tuple = ()
    page: str = ""
    plot: str = ""
    pictures: tuple = ()
    tables: bool | tuple = False
    measures: tuple = ()


@dataclasses.dataclass(frozen=True)
class Row:
    """`seed` and `figure` name it; `verdict` is one of VERDICTS with `missing` as its reason; `paper` is what the paper says in
    words, beside its `values`."""
    seed: str
    figure: str
    what: str
    kind: str
    verdict: str
    measurement: str = ""
    paper: str = ""
    missing: str = ""
    values: tuple = ()
    pictures: tuple = ()

    @property
    def name(self):
        return f"{self.seed}/{self.figure}"


def commands(value):
    return tuple([value] if isinstance(value, str) else value)


def read(path=FILE):
    """Returns the seeds (key: title), the measurements by their names, and the rows."""
    table = json.loads(path.read_text(encoding="utf-8"))
    measurements = {}
    for name, fields in table["measurements"].items():
        fields = {"folder": f"out/{name}", **fields}
        for key in ("needs", "keep", "leave", "pictures", "measures"):
            if key in fields:
                fields[key] = tuple(fields[key])
        if isinstance(fields.get("tables"), list):
            fields["tables"] = tuple(fields["tables"])
        fields |= {"whole": commands(fields["whole"]), "quick": commands(fields["quick"])}
        measurements[name] = Measurement(name=name, **fields)
    rows = []
    for fields in table["rows"]:
        for key in ("values", "pictures"):
            fields[key] = tuple(fields.get(key, ()))
        rows.append(Row(**fields))
    faults = list(wrong(table["seeds"], measurements, rows))
    if faults:
        raise Wrong(f"{path}: {faults[0]}")
    return table["seeds"], measurements, rows


def wrong(seeds, measurements, rows):
    """Yields the contradictions in the table, one line each."""
    names = [row.name for row in rows]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{name}: is there twice"
    for row in rows:
        if row.seed not in seeds:
            yield f"{row.name}: there is no seed '{row.seed}'"
        if row.verdict not in VERDICTS:
            yield f"{row.name}: verdict '{row.verdict}' is none of {', '.join(VERDICTS)}"
        if row.kind not in KINDS:
            yield f"{row.name}: kind '{row.kind}' is none of {', '.join(KINDS)}"
        if row.verdict != "whole" and not row.missing:
            yield f"{row.name}: is {row.verdict}, and does not say why"
        for name in {row.measurement, *(value.get("measurement", "") for value in row.values)} - {""}:
            if name not in measurements:
                yield f"{row.name}: there is no measurement '{name}'"
        if row.verdict == "whole" and not row.measurement:
            yield f"{row.name}: is whole, and names no measurement"
    for measurement in measurements.values():
        for need in measurement.needs:
            if need not in NEEDS:
                yield f"{measurement.name}: need '{need}' is none of {', '.join(NEEDS)}"


def selected(names, seeds, measurements, rows):
    """Returns the rows and measurements that the names mean: seeds, rows (with or without their seed) or measurements.
    Without a name, returns all."""
    if not names:
        return rows, list(measurements.values())
    mine, wanted = [], {}
    for name in names:
        found = [row for row in rows if name in (row.seed, row.name, row.figure)]
        if not found and name not in measurements:
            raise Wrong(f"there is no row, seed or measurement '{name}'; see tools/reproduce --list")
        mine += [row for row in found if row not in mine]
        for key in [name, *measurements_of(found)]:
            if key in measurements:
                wanted[key] = measurements[key]
    for row in rows:
        if row not in mine and any(name in wanted and name in names for name in measurements_of([row])):
            mine.append(row)
    return mine, list(wanted.values())


def measurements_of(rows):
    names = {}
    for row in rows:
        for name in [row.measurement, *(value.get("measurement", "") for value in row.values)]:
            if name:
                names[name] = None
    return list(names)
