"""Shared code of the programs that draw measurements (tools/plot-*): tables, the style of figures, and their files.

A table is a CSV file KIND-TABLE.csv in the folder that a command of `brokkr` wrote. Needs python3-matplotlib.
"""
import contextlib
import csv
import dataclasses
import io
import math
import os
import pathlib
import sys
import typing

from command_line import ROOT, Parser, Wrong, make_folder, program, read_text

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    # The first Python in PATH, such as that of a virtual environment, has no matplotlib. Only Debian's Python finds
    # Debian's package.
    DEBIAN_PYTHON = "/usr/bin/python3"
    if sys.executable != DEBIAN_PYTHON and os.access(DEBIAN_PYTHON, os.X_OK):
        os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, *sys.argv])
    sys.exit(f"{program()}: matplotlib is missing; install the package python3-matplotlib")

# The colours of every figure.
RED, ORANGE, AMBER, PINK, ROSE = "#c1121f", "#f3722c", "#f9b233", "#e36bae", "#b5838d"
NAVY, BLUE, SKY, ICE, INDIGO = "#1d3557", "#457b9d", "#7fb7d6", "#a8dadc", "#5e60ce"
PURPLE, LILAC = "#6a0dad", "#c77dff"
GREEN, LEAF, MINT, OLIVE, SAGE = "#2d6a4f", "#52b788", "#95d5b2", "#606c38", "#a3b18a"
BLACK, GREY, STEEL, SILVER, PALE = "#000000", "#6c757d", "#8d99ae", "#9aa0a6", "#e5e5e5"
RULE, GRID, NOTE = "#999999", "#dddddd", "#666666"  # reference lines, the grid, and its labels


@dataclasses.dataclass
class Drawing:
    """A figure of a table. `numbers` and `text` are the columns that it needs; a number with a ? may be empty (nan)."""

    name: str
    table: str
    draw: typing.Callable
    numbers: str
    text: str


def read(path, drawing, remedy):
    """Returns the rows of a table as dictionaries, without failed measurements (column "error")."""
    content = read_text(path, remedy)
    reader = csv.reader(io.StringIO(content, newline=""), strict=True)
    rows = []
    try:
        header = next(reader)
        numbers = {name.rstrip("?"): name.endswith("?") for name in drawing.numbers.split()}
        for name in [*numbers, *drawing.text.split()]:
            if name not in header:
                raise Wrong(f"{path}: line 1: there is no column '{name}'; {remedy}")
        for cells in reader:
            where = f"{path}: line {reader.line_num}"
            if len(cells) != len(header):
                raise Wrong(f"{where}: {len(cells)} fields of {len(header)}, the file is cut off or edited; {remedy}")
            row = dict(zip(header, cells))
            if not row.get("error"):
                rows.append(row | {name: number(row[name], may_be_empty, f"{where}: column '{name}'", remedy)
                                   for name, may_be_empty in numbers.items()})
    except csv.Error as error:
        raise Wrong(f"{path}: line {reader.line_num}: {error}; {remedy}") from None
    if not content.endswith("\n"):
        raise Wrong(f"{path}: line {reader.line_num}: the file is cut off within this line; {remedy}")
    return rows


def number(text, may_be_empty, where, remedy):
    if may_be_empty and not text:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Wrong(f"{where}: {text[:40]!r} is not a number; {remedy}")
    return value


def unique(rows, key):
    return list(dict.fromkeys(row[key] for row in rows))


class Needed(dict):
    """A dictionary of measurements. A missing one is an error of the file."""

    def __missing__(self, key):
        names = key if isinstance(key, tuple) else (key,)
        raise missing(", ".join(f"{name:g}" if isinstance(name, float) else str(name) for name in names))


def missing(what):
    return Wrong(f"no row of {what}: the file is cut off or edited")


def some(rows, what):
    """Returns `rows`, which must have at least one."""
    if not rows:
        raise missing(what)
    return rows


# The look of figures.

def line_style(color, marker, dash="-"):
    return {"color": color, "marker": marker, "linestyle": dash, "linewidth": 1.4, "markersize": 4.5}


def finish(axes, title, xlabel, ylabel, log="", grid="both"):
    """Finishes the axes. `log`: x and y have powers of 10; x2: powers of 2."""
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    if "x" in log:
        axes.set_xscale("log", base=2 if "x2" in log else 10)
    if "y" in log:
        axes.set_yscale("log")
    axes.grid(True, which="major", axis=grid, color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def legend(figure, axes_list, columns=6):
    """Adds one legend for all axes, below them."""
    seen = {}
    for axes in axes_list:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            seen.setdefault(label, handle)
    figure.legend(seen.values(), seen.keys(), loc="lower center", ncol=min(columns, len(seen)), fontsize=8, frameon=False)


def inner_legend(axes):
    axes.legend(fontsize=8, frameon=False)


def where(rows):
    """Returns the machine on which the rows were measured, its instruction set and its lanes."""
    machine = rows[0]["machine"]
    name = {"cpu": "CPU machine", "emulated": "emulated machine", "cuda": "GPU"}.get(machine, machine)
    detail = rows[0]["detail"]
    return f"{name} ({detail}, {rows[0]['lanes']:g} lanes)"


# Reads folders, writes pictures.

def options_of(description):
    """Returns a parser of DIR and --output."""
    parser = Parser(description)
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR", help="output folder of the command")
    parser.add_argument("--output", type=pathlib.Path, metavar="FOLDER",
                        help="for the pictures (docs/images)")
    parser.add_argument("--format", choices=("png", "pdf", "svg"), default="png", help="of the pictures (png)")
    return parser


def markdown(title, head, body):
    """Prints a table in the form of the pages."""
    print(f"\n{title}\n\n| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in body:
        print("| " + " | ".join(row) + " |")


def output_of(options):
    return make_folder(options.output or ROOT / "docs" / "images")


def draw(folder, kind, drawing, remedy):
    """Returns the drawing's result and the rows; None if the table is missing or has nothing to draw."""
    path = folder / f"{kind}-{drawing.table}.csv"
    if not path.exists():
        return None, []
    rows = read(path, drawing, remedy)
    with errors_of(path, remedy):
        return (drawing.draw(rows) if rows else None), rows


@contextlib.contextmanager
def errors_of(path, remedy):
    """Turns a failed drawing into an error of the file that contains the data."""
    try:
        yield
    except Wrong as error:
        raise Wrong(f"{path}: {error}; {remedy}") from None
    except (ArithmeticError, ValueError) as error:  # zeros and similar values in an edited file
        said = " ".join(str(error).split())[:200]
        raise Wrong(f"{path}: no picture can be drawn of these values ({said}); {remedy}") from None


def save(figure, target):
    figure.savefig(target, dpi=90)
    plt.close(figure)
    print(target)


def draw_all(description, kind, drawings, command, title=None, tables=None):
    """The program: draws every existing table. A drawing returns a figure and the part of its height that a legend
    takes (None: it has no legend), or None if there is too little to draw. `title` makes a title from a drawing's name
    and its rows. `tables`: by a drawing's name, a function that makes (title, head, body), or a list of these, from its
    rows for --markdown."""
    parser = options_of(description)
    if tables:
        parser.add_argument("--markdown", action="store_true", help="also print tables for a page")
    options = parser.parse_args()
    remedy = f"run `{command} -o {options.folder}`"
    if not options.folder.is_dir():
        raise Wrong(f"{options.folder}: there is no such folder; {remedy}")
    drawn, output, failed = 0, None, []
    for drawing in drawings:
        path = options.folder / f"{kind}-{drawing.table}.csv"
        made, rows = draw(options.folder, kind, drawing, remedy)
        if not rows and path.exists():
            failed.append(f"{path}: no measurement that succeeded")
        if made is None:
            continue
        figure, bottom = made
        if title:
            figure.suptitle(title(drawing.name, rows), fontsize=11)
        output = output or output_of(options)
        with errors_of(path, remedy):
            figure.tight_layout(rect=None if bottom is None else (0, bottom, 1, 1))
            save(figure, output / f"{kind}-{drawing.name}.{options.format}")
            if tables and options.markdown and drawing.name in tables:
                made = tables[drawing.name](rows)
                for table in made if isinstance(made, list) else [made]:
                    markdown(*table)
        drawn += 1
    if not drawn:
        raise Wrong(f"{failed[0] if failed else f'{options.folder}: no {kind}-*.csv there'}; {remedy}")
    for line in dict.fromkeys(failed):
        print(line, file=sys.stderr)
    return 0
