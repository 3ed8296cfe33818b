"""`tools/bench --gate FILE`: checks that a new measurement keeps the figures of an earlier one."""
import math

LIMIT = 0.95  # a figure below this share of the earlier one is slower


def figures(document, peers=None):
    """Returns the rows of a result of `brokkr bench --json`: for each name, shading, size and instruction set, the time
    of the best peer divided by Brokkr's. The peers take turns with Brokkr, so this ratio hardly depends on other
    programs.
    `peers`: the names of the peers that count; None: all."""
    found = {}
    for row in document["results"]:
        timed = {name: peer for name, peer in row.get("peers", {}).items() if peers is None or name in peers}
        if "error" in row or not timed:
            continue
        what = (row["name"], row["shading"], f"{row['width']}x{row['height']}")
        best = min(timed, key=lambda name: timed[name]["median_ms"])
        found[(*what, row["isa"])] = timed[best]["ratio"]["median"]
        if "beside" in row:
            found[(*what, row["beside"]["isa"])] = row["beside"]["ratios"][best]["median"]
    return found


def peers_of(document):
    return {name for row in document["results"] for name in row.get("peers", {})}


def judged(before, now):
    """Returns the lines of a table, and the figures that are slower or missing. `before` and `now` are results of
    `figures`."""
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
    """Compares the figures of the result `before` with those of measure(), a new result. Both are ratios to the best of
    the peers that both results have: a faster peer that only the earlier result has would hide a slower figure. A
    slower figure is measured once more, and the better one counts. Returns the table's lines and the figures that are
    slower or missing."""
    if not figures(before):
        raise ValueError("holds no row with a peer; write it by `brokkr bench --json`, or run tools/bench first")
    first = measure()
    peers = peers_of(before) & peers_of(first)
    old, now = figures(before, peers), figures(first, peers)
    if not old:
        raise ValueError(f"has the peers {', '.join(sorted(peers_of(before)))}, of which none was timed now; write it by "
                         "`brokkr bench --against llvmpipe --json`")
    lines, slower = judged(old, now)
    if not slower:
        return lines, slower
    again = figures(measure(), peers)
    return judged(old, {what: max(ratio for ratio in (now.get(what), again.get(what)) if ratio is not None)
                        for what in {*now, *again}})
