"""The page of a run of gpu-check/run: docs/research/results/<date>-<gpu>/README.md, with the numbers that it is made from."""
import json
import pathlib
import re
import shutil

from command_line import Wrong, make_folder

from . import build

KEPT = (".json", ".csv", ".tsv", ".txt", ".png")  # logs and reports are not copied
MAX_BYTES = 2 << 20  # of a copied file


def read_steps(folder):
    steps = []
    for line in (folder / "steps.tsv").read_text(encoding="utf-8", errors="replace").splitlines():
        fields = line.split("\t")
        if len(fields) != 4:
            raise Wrong(f"{folder / 'steps.tsv'}: '{line[:60]}' is not a step; name a folder that gpu-check/run wrote")
        steps.append(dict(zip(("name", "status", "seconds", "note"), fields)))
    return steps


def read_environment(folder):
    path = folder / "environment.txt"
    if not path.exists():
        return {}
    return dict(line.split(": ", 1) for line in path.read_text(errors="replace").splitlines() if ": " in line)


def file_of(step):
    """Returns the name that gpu-check/run gives to a step's files."""
    return re.sub(r"[^a-zA-Z0-9.]", "-", step)


def rows_of(path):
    """Returns the rows of a report of `brokkr bench`; empty if it is missing or incomplete."""
    try:
        return json.loads(path.read_text())["results"]
    except (OSError, ValueError, KeyError):
        return []


def cells(row):
    """Returns the milliseconds of a row: frame, kernel, OpenGL, and OpenGL divided by the frame."""
    if "error" in row:
        return ["failed: " + row["error"][:120].replace("|", "/"), "", "", ""]
    frame, peer = row["brokkr"]["median_ms"], min((p["median_ms"] for p in row.get("peers", {}).values()), default=None)
    beside = [f"{peer:.4f}", f"{peer / frame:.2f}"] if peer else ["", ""]
    return [f"{frame:.4f}", f"{row['launch']['median_ms']:.4f}", *beside]


def head(steps, environment):
    gpu = environment.get("gpu", "no GPU")
    lines = [f"# {gpu}", "", "Made by `tools/gpu-check --results` from what `gpu-check/run` wrote ([gpu-check](../../gpu-check.md)).", ""]
    lines += [f"- {name}: {value}" for name, value in environment.items() if name != "gpu"]
    lines += ["", "| step | result | seconds | note |", "|---|---|---:|---|"]
    for step in steps:
        lines.append(f"| {step['name']} | {step['status']} | {step['seconds']} | {step['note'].replace('|', '/')} |")
    return lines


def kernels(folder):
    rows = [f"| {path.name.removesuffix('.ptxas')} | {kernel['kernel']} | {kernel['architecture']} | {kernel['registers']} | "
            f"{kernel['stack']} | {kernel['spill_stores'] + kernel['spill_loads']} |"
            for path in sorted((folder / "reports").glob("*kernel*.cu.ptxas")) for kernel in build.kernels_of(path.read_text(errors="replace"))]
    table = ["| report | kernel | for | registers | stack, bytes | spilled, bytes |", "|---|---|---|---:|---:|---:|"]
    return ["", "## Registers", "", *table, *rows] if rows else []


def programs(folder, steps, environment):
    lines = []
    for step in steps:
        if not step["name"].startswith("sphere-1m flat, "):
            continue
        program = step["name"].removeprefix("sphere-1m flat, ")
        blocks = program.removeprefix("brokkr-") if program != "brokkr" else environment.get("blocks", "?")
        lines += [f"| {blocks} | {' | '.join(cells(row)[:2])} |" for row in rows_of(folder / f"{file_of(step['name'])}.json")]
    table = ["| blocks per multiprocessor | frame | kernel |", "|---|---:|---:|"]
    return ["", "## A million small triangles", "", "`generated:sphere-1m`, flat; milliseconds, median.", "", *table, *lines] if lines else []


def suite(folder, steps):
    lines = []
    for step in steps:
        if step["name"].startswith("suite "):
            for row in rows_of(folder / f"{file_of(step['name'])}.json"):
                lines.append(f"| {row['name'].removeprefix('generated:')} | {row['shading']} | {row['width']}x{row['height']} | {row['triangles']} | "
                             + " | ".join(cells(row)) + " |")
    table = ["| frame | shading | pixels | triangles | frame ms | kernel ms | OpenGL ms | OpenGL / Brokkr |", "|---|---|---|---:|---:|---:|---:|---:|"]
    return ["", "## Beside OpenGL on the same GPU", "", *table, *lines] if lines else []


def sweep(folder):
    found = []
    for path in folder.glob("sweep-*.json"):
        setting = re.fullmatch(r"sweep-(brokkr(?:-\d)?)-(\d+)-(\d+)-(\w+|-)\.json", path.name)
        for row in rows_of(path) if setting else []:
            if "error" not in row:
                found.append((row["name"].removeprefix("generated:"), row["brokkr"]["median_ms"], row["launch"]["median_ms"], setting.groups()))
    lines = []
    for name in sorted({entry[0] for entry in found}):
        for _, frame, launch, (program, bin_edge, store, way) in sorted(entry for entry in found if entry[0] == name)[:12]:
            lines.append(f"| {name} | {program} | {bin_edge} | {store} | {way} | {frame:.4f} | {launch:.4f} |")
    table = ["| frame | program | bin | store | small triangles | frame ms | kernel ms |", "|---|---|---:|---:|---|---:|---:|"]
    return ["", "## Settings", "", "The twelve best of each frame.", "", *table, *lines] if lines else []


def files(kept):
    return ["", "## Numbers", "", *(f"- [{path}]({path})" for path in kept if path.suffix in (".json", ".csv"))] if kept else []


def land(folder, pages):
    """Copies the files to keep, and writes the page. Returns the new folder."""
    steps, environment = read_steps(folder), read_environment(folder)
    date = environment.get("date", "unknown")[:10]
    gpu = re.sub(r"[^a-z0-9]+", "-", environment.get("gpu", "no-gpu").split(",")[0].lower()).strip("-")
    to = make_folder(pages / f"{date}-{gpu}")
    kept = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and path.suffix in KEPT and path.stat().st_size <= MAX_BYTES:
            make_folder((to / name).parent)
            shutil.copyfile(path, to / name)
            kept.append(name)
    lines = head(steps, environment) + programs(folder, steps, environment) + suite(folder, steps) + sweep(folder) + kernels(folder)
    (to / "README.md").write_text("\n".join(lines + files([pathlib.PurePosixPath(name) for name in kept])) + "\n", encoding="utf-8")
    return to
