"""Makes the text of summary.md: the findings of the steps."""
from .timing import GENERATED, VARIANTS


def found(steps, name):
    """Returns the findings of a step; an empty dictionary if there are none."""
    return next((entry.get("found", {}) for entry in steps if entry["step"] == name), {})


def markdown(steps):
    lines = []
    for part in (head, kernels, frames, benchmarks, variants, patterns):
        lines += part(steps)
    return "\n".join(lines) + "\n"


def head(steps):
    environment = found(steps, "environment")
    lines = ["# CUDA check", "", f"- computer: {environment.get('host', '?')}, {environment.get('cores', '?')} cores",
             f"- GPU: {', '.join(gpu['name'] for gpu in environment.get('gpus', [])) or 'none'}",
             f"- nvcc: {environment.get('nvcc') or 'none'}", f"- revision: {environment.get('revision', '?')}"]
    if environment.get("rehearsal"):
        lines.append("- **A rehearsal on the CPU machine with llvmpipe: nothing below was drawn by a GPU.**")
    lines += ["", "| step | result | seconds | note |", "|---|---|---|---|"]
    for entry in steps:
        note = entry["note"].replace("|", "/").replace("\n", " ")
        lines.append(f"| {entry['step']} | {entry['status']} | {entry['seconds']} | {note} |")
    return lines


def kernels(steps):
    lines = []
    compiled = found(steps, "registers and spills").get("kernels", [])
    if compiled:
        lines += ["", "| kernel | registers | stack, bytes | spilled, bytes |", "|---|---|---|---|"]
        lines += [f"| {kernel['kernel']} ({kernel['architecture']}) | {kernel['registers']} | {kernel['stack']} | "
                  f"{kernel['spill_stores'] + kernel['spill_loads']} |" for kernel in compiled]
    return lines


def frames(steps):
    lines = []
    drawn = [entry for entry in steps if entry["step"].startswith("frame ") and "color" in entry.get("found", {})]
    if drawn:
        lines += ["", "| frame | CUDA ms (median) | CPU ms (median) | depth differs | triangle differs | colour differs |",
                  "|---|---|---|---|---|---|"]
        for entry in drawn:
            frame = entry["found"]
            cells = [str(frame[kind].get("differing", "?")) for kind in ("depth", "triangle", "color")]
            lines.append(f"| {entry['step'][6:]} | {frame['cuda_ms']:.3f} | {frame['cpu_ms']:.3f} | {' | '.join(cells)} |")
    return lines


def benchmarks(steps):
    lines = []
    for begins, heading in (("bench ", "Beside OpenGL"), ("curve ", "Curves")):
        rows = [row for entry in steps if entry["step"].startswith(begins) for row in entry.get("found", {}).get("rows", [])]
        if rows:
            lines += ["", f"## {heading}", "", "Milliseconds per frame: the whole call, the kernel alone, OpenGL; OpenGL / Brokkr.", "",
                      "| frame | at | triangles | Brokkr | kernel | OpenGL | ratio |", "|---|---|---|---|---|---|---|"]
        for row in rows:
            name = row["name"].removeprefix("generated:") + " " + row["shading"]
            if "error" in row:
                lines.append(f"| {name} | failed: {row['error'][:200]} | | | | | |")
                continue
            peer = min(row["peers"].values(), default=None)
            at = f"{row['curve']} {row['x']:.0f}" if "curve" in row else f"{row['width']}x{row['height']}"
            cells = [f"{row['frame_ms']:.4f}", f"{row['launch_ms']:.4f}", *([f"{peer:.4f}", f"{peer / row['frame_ms']:.2f}"] if peer else ["", ""])]
            lines.append(f"| {name} | {at} | {row['triangles']} | " + " | ".join(cells) + " |")
    return lines


def variants(steps):
    lines = []
    timed = {name: {row["name"]: row for row in found(steps, f"variant {name}").get("rows", []) if "error" not in row} for name in VARIANTS}
    if any(timed.values()):
        lines += ["", "## Variants", "", "Milliseconds per frame, flat (kernel alone).", "", "| frame | as built | " + " | ".join(VARIANTS) + " |",
                  "|---|---|" + "---|" * len(VARIANTS)]
        plain = {row["name"]: row for name in GENERATED for row in found(steps, f"bench {name}").get("rows", [])
                 if row["shading"] == "flat" and "error" not in row}
        for name in (f"generated:{scene}" for scene in GENERATED):
            cells = [f"{rows[name]['frame_ms']:.4f} ({rows[name]['launch_ms']:.4f})" if name in rows else ""
                     for rows in (plain, *timed.values())]
            lines.append(f"| {name.removeprefix('generated:')} | " + " | ".join(cells) + " |")
    return lines


def patterns(steps):
    lines = []
    measured = found(steps, "patterns").get("rows", [])
    if measured:
        lines += ["", "## Patterns", "", "`generated:city`, milliseconds per frame (kernel alone).", "", "| pattern | static | stealing |",
                  "|---|---|---|"]
        for name in dict.fromkeys(row["pattern"] for row in measured):
            times = {row["ownership"]: row for row in measured if row["pattern"] == name}
            cells = [f"{times[o]['frame_ms']:.4f} ({times[o]['launch_ms']:.4f})" if o in times else "" for o in ("static", "stealing")]
            lines.append(f"| {name} | {cells[0]} | {cells[1]} |")
    return lines
