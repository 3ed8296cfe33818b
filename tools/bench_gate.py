"""`tools/bench --gate FILE`: checks that a new measurement keeps the figures of an earlier one."""
import math

LIMIT = 0.95  # a figure below this share of the earlier one is slower


def figures(document):
    """The rows of a result of `brokkr bench --json`: by name, shading, size and instruction set the times of the best
    peer / Brokkr. The peers take turns with Brokkr, so that this ratio hardly depends on what else the computer does."""
    found = {}
    for row in document["results"]:
        if "error" in row or "best_peer" not in row:
            continue
        what = (row["name"], row["shading"], f"{row['width']}x{row['height']}")
        best = row["best_peer"]
        found[(*what, row["isa"])] = row["peers"][best]["ratio"]["median"]
        if "beside" in row:
            found[(*what, row["beside"]["isa"])] = row["beside"]["ratios"][best]["median"]
    return found


def judged(before, now):
    """Lines of a table, and the figures that are slower or missing. `before` and `now` are results of `figures`."""
    lines, slower = [], []
    for what, old in before.items():
        new = now.get(what)
        if new is None or new < LIMIT * old:
            slower.append(what)
        lines.append(f"{' '.join(what)}: {old:.2f} -> " +
                     ("not measured" if new is None else f"{new:.2f} ({new / old - 1:+.1%})"))
    both = [math.log(now[what] / old) for what, old in before.items() if what in now]
    if both:
        lines.append(f"geometric mean of {len(both)}: {math.exp(sum(both) / len(both)) - 1:+.1%}")
    return lines, slower


def run_gate(before, measure):
    """Compares the figures of the result `before` with those of measure(), a new result. A slower figure is measured
    once more, and the better one counts. Returns the table's lines and the figures that are slower or missing."""
    old = figures(before)
    if not old:
        raise ValueError("holds no row with a peer; write it by `brokkr bench --json`, or run tools/bench first")
    now = figures(measure())
    lines, slower = judged(old, now)
    if not slower:
        return lines, slower
    again = figures(measure())
    return judged(old, {what: max(ratio for ratio in (now.get(what), again.get(what)) if ratio is not None)
                        for what in {*now, *again}})
