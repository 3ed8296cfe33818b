"""Figures of the pipeline's work under a pattern: time, blocks, bin sizes.

A function takes the rows of its table and returns a figure (None: tables alone) and tables, as in maps.py.
"""
import numpy

from plotting import GREY, NAVY, ORANGE, PALE, PURPLE, Needed, finish, inner_legend, plt, some, unique

from .look import below, color_of, gmean, hmean, short


KINDS = ("simulated", "measured")


def speedups(rows, time):
    """(order, rasterizers, bin, pattern) -> [(frame, speed-up, row, Diagonal's row)] of the times in column `time`."""
    base = Needed({(r["frame"], r["order"], r["rasterizers"], r["bin"]): r for r in rows if r["pattern"] == "diagonal"})
    found = {}
    for r in rows:
        d = base[r["frame"], r["order"], r["rasterizers"], r["bin"]]
        found.setdefault((r["order"], r["rasterizers"], r["bin"], r["pattern"]), []).append((r["frame"], d[time] / r[time], r, d))
    return found


def pipeline(rows):
    orders, bins = unique(rows, "order"), unique(rows, "bin")
    counts, names = unique(rows, "rasterizers"), unique(rows, "pattern")
    columns = [(kind, bin_) for kind in KINDS for bin_ in bins]
    figure, grid = plt.subplots(len(orders), len(columns), figsize=(4.2 * len(columns), 4 * len(orders)), squeeze=False,
                                sharey="row")
    tables = []
    for kind in KINDS:
        time = f"{kind}_ms"
        found = speedups(rows, time)
        for line, order in enumerate(orders):
            table = []
            for bin_ in bins:
                axes = grid[line][columns.index((kind, bin_))]
                for name in names:
                    points = [(n, hmean([s[1] for s in found[order, n, bin_, name]])) for n in counts if (order, n, bin_, name) in found]
                    axes.plot([p[0] for p in points], [p[1] for p in points], color=color_of(name), marker="o", markersize=4,
                              linewidth=1.4, label=short(name))
                axes.set_xscale("log")
                axes.set_xticks(counts, [f"{n:g}" for n in counts])
                axes.minorticks_off()
                finish(axes, f"{kind}, {order} shading, bins of {bin_:g}", "rasterizers", "speed-up over Diagonal")
            for n in counts:
                cells = [f"{n:g}"]
                for bin_ in bins:
                    for name in names:
                        s = found.get((order, n, bin_, name))
                        cells.append(f"{numpy.mean([x[2][time] for x in s]):.1f} ({hmean([x[1] for x in s]):.2f})" if s else "")
                table.append(cells)
            tables.append((f"Table 2, {order} shading: {kind} ms (speed-up over Diagonal, harmonic mean)",
                           ["rasterizers"] + [f"{b:g}² {short(name)}" for b in bins for name in names], table))
    for axes in grid[:, 0]:  # the others of the row share it; an explicit limit ends the search for the other one
        axes.set_ylim(bottom=0.6)
    below(figure, grid.flat, 6, 0.05)
    return figure, tables


def prediction(rows):
    """Shows how well c_v predicts the simulated speed-up, for every pattern except Diagonal, every setting and every
    frame."""
    orders = unique(rows, "order")
    figure, grid = plt.subplots(len(orders), 2, figsize=(11, 4.6 * len(orders)), squeeze=False)
    found = speedups(rows, "simulated_ms")
    table = []
    for line, order in enumerate(orders):
        points = [(name, s, r, d) for (o, n, b, name), all_ in found.items() if o == order and name != "diagonal"
                  for _, s, r, d in all_]
        some(points, f"{order} order with another pattern than Diagonal")
        simulated = numpy.array([p[1] for p in points])
        # With c_v, the longest rasterizer is assumed to be two deviations above the mean.
        models = [("c_v: (1 + 2 c_v Diagonal) / (1 + 2 c_v)", [(1 + 2 * d["cv_map"]) / (1 + 2 * r["cv_map"]) for _, _, r, d in points]),
                  ("most / mean of the fragments", [d["imbalance_map"] / r["imbalance_map"] for _, _, r, d in points])]
        for column, (title, predicted) in enumerate(models):
            axes = grid[line][column]
            predicted = numpy.array(predicted)
            for name in unique([{"n": p[0]} for p in points], "n"):
                chosen = [i for i, p in enumerate(points) if p[0] == name]
                axes.scatter(predicted[chosen], simulated[chosen], s=9, color=color_of(name), alpha=0.6, label=short(name), linewidths=0)
            r = numpy.corrcoef(predicted, simulated)[0, 1]
            rank = numpy.corrcoef(predicted.argsort().argsort(), simulated.argsort().argsort())[0, 1]
            low, high = min(predicted.min(), simulated.min()), max(predicted.max(), simulated.max())
            axes.plot([low, high], [low, high], color=GREY, linewidth=0.8, linestyle="--")
            finish(axes, f"{order} shading: r = {r:.3f}, rank r = {rank:.3f}", f"predicted speed-up, {title}", "simulated")
            table.append([order, title, f"{r:.3f}", f"{rank:.3f}", f"{len(points)}"])
    below(figure, grid.flat, 6, 0.05)
    return figure, [("Correlation of prediction and simulated speed-up", ["shading", "predictor", "r", "rank r", "points"], table)]


STAGES = (("raster", NAVY), ("geometry", ORANGE), ("idle", PALE))


def stages_of(row, kind):
    return [row[f"{kind}_{stage}_ms"] for stage, _ in STAGES]


def blocks(rows):
    shown = ("diagonal", "van-der-corput")
    there = {kind: [r for r in rows if not numpy.isnan(stages_of(r, kind)).any()] for kind in KINDS}
    chosen = some([r for r in there["simulated"] if r["pattern"] in shown], "diagonal")

    def spread(frame):  # frames for which the pattern matters most come first
        end = {p: max(some([sum(stages_of(r, "simulated")) for r in chosen if r["frame"] == frame and r["pattern"] == p],
                           f"{p} and {frame}")) for p in shown}
        return end["diagonal"] / end["van-der-corput"]

    frame = max(unique(chosen, "frame"), key=spread)
    figure, grid = plt.subplots(1, 4, figsize=(14, 4.4), gridspec_kw={"width_ratios": [5, 5, 3, 3]})
    for i, kind in enumerate(KINDS):
        for axes, name in zip(grid[2 * i:], shown):
            part = sorted((r for r in there[kind] if r["frame"] == frame and r["pattern"] == name), key=lambda r: r["block"])
            at = numpy.zeros(len(part))
            for k, (stage, color) in enumerate(STAGES):
                values = numpy.array([stages_of(r, kind)[k] for r in part])
                axes.bar(range(len(part)), values, bottom=at, color=color, label=stage, width=0.8)
                at += values
            axes.set_xticks(range(0, len(part), 2 if len(part) > 4 else 1))
            finish(axes, f"{short(name)}, {kind}", "processor per rasterizer" if kind == "simulated" else "block that ran", "ms")
        top = max(axes.get_ylim()[1] for axes in grid[2 * i:2 * i + 2])
        for axes in grid[2 * i:2 * i + 2]:
            axes.set_ylim(0, top)
    below(figure, grid, 3, 0.07)
    tables = []
    for kind in KINDS:
        table = []
        for f in unique(there[kind], "frame"):
            for name in unique(there[kind], "pattern"):
                part = [r for r in there[kind] if r["frame"] == f and r["pattern"] == name]
                sums = [sum(values) for values in zip(*(stages_of(r, kind) for r in part))]
                table.append([f, short(name), f"{sum(sums) / len(part):.1f}"] + [f"{100 * s / sum(sums):.1f} %" for s in sums])
        tables.append((f"Fig. 7.13, {kind}: 20 rasterizers, bins of 64²",
                       ["frame", "pattern", f"{kind} ms", *(stage for stage, _ in STAGES)], table))
    return figure, tables


def cost(rows):
    figure, grid = plt.subplots(2, 2, figsize=(11, 8))
    bins = sorted(unique(rows, "bin"))
    flat = [r for r in rows if r["shading"] == "flat"]
    counts = [n for n in unique(rows, "asked") if n > 0]
    palette = plt.get_cmap("viridis")
    tables = []
    for i, n in enumerate(counts):
        def mean(key, over="triangles"):
            return [gmean([r[key] / r[over] for r in flat if r["asked"] == n and r["bin"] == b]) for b in bins]

        color = palette(i / max(1, len(counts) - 1))
        grid[0][0].plot(bins, mean("rasterizer_pairs"), "o-", color=color, label=f"{n:g} rasterizers")
        grid[0][1].plot(bins, mean("queue_bytes"), "o-", color=color, label=f"{n:g} rasterizers")
        work = {b: [] for b in bins}
        for f in unique(flat, "frame"):
            part = Needed({r["bin"]: r["raster_ms"] + r["geometry_ms"] for r in flat if r["frame"] == f and r["asked"] == n})
            for b in bins:
                work[b].append(part[b] / part[64])
        grid[1][0].plot(bins, [gmean(work[b]) for b in bins], "o-", color=color, label=f"{n:g} rasterizers")
    for shading, style in (("flat", "o-"), ("multiply-add", "s--")):
        ratio = {b: [] for b in bins}
        for f in unique(rows, "frame"):
            part = {r["bin"]: r["frame_ms"] for r in rows
                    if r["frame"] == f and r["asked"] == 0 and r["pattern"] == "van-der-corput" and r["shading"] == shading}
            for b in bins:
                if 64 in part and b in part:
                    ratio[b].append(part[b] / part[64])
        grid[1][1].plot(bins, [gmean(ratio[b]) for b in bins], style, label=shading, color=PURPLE if shading == "flat" else ORANGE)
    for axes, title, ylabel in ((grid[0][0], "(triangle, rasterizer) pairs", "pairs per triangle"),
                                (grid[0][1], "queue traffic", "bytes per triangle"),
                                (grid[1][0], "work of all blocks, one colour", "in units of 64² bins"),
                                (grid[1][1], "time of a frame on this computer", "in units of 64² bins")):
        axes.set_xscale("log", base=2)
        axes.set_xticks(bins, [f"{b:g}" for b in bins])
        finish(axes, title, "bin size in pixels", ylabel)
        axes.set_ylim(bottom=0)
        inner_legend(axes)
    figure.tight_layout(rect=(0, 0, 1, 0.95))
    table = []
    for f in unique(flat, "frame"):
        for b in bins:
            here = [r for r in rows if r["frame"] == f and r["bin"] == b and r["pattern"] == "van-der-corput"]
            automatic = {r["shading"]: r for r in here if r["asked"] == 0}
            sixty = next((r for r in here if r["asked"] == 60 and r["shading"] == "flat"), None)
            if sixty is None or "flat" not in automatic:
                continue
            table.append([f, f"{b:g}", f"{sixty['rasterizer_pairs'] / sixty['triangles']:.2f}", f"{sixty['bin_pairs'] / sixty['triangles']:.2f}",
                          f"{sixty['queue_bytes'] / 1024:.0f}", f"{sixty['visits']:.0f}", f"{sixty['raster_ms'] + sixty['geometry_ms']:.1f}",
                          f"{automatic['flat']['frame_ms']:.1f}", f"{automatic['multiply-add']['frame_ms']:.1f}" if "multiply-add" in automatic else ""])
    tables.append(("Small bins: 60 rasterizers (pairs, queues, work) and this computer (frame)",
                   ["frame", "bin", "pairs / triangle", "bin pairs / triangle", "queue KiB", "visits", "work ms", "frame ms, flat",
                    "frame ms, multiply-add"], table))
    return figure, tables


def recommend(rows):
    def ms(value):
        return "" if numpy.isnan(value) else f"{value:.2f}"

    table = [[r["machine"], r["shading"], f"{r['rank']:g}", f"{r['bin']:g}", short(r["pattern"]), ms(r["measured_ms"]),
              ms(r["measured_default_ms"]), ms(r["simulated_ms"]), ms(r["simulated_default_ms"]), f"{r['gain']:.2f}"]
             for r in rows if r["rank"] <= 3]
    shadings = unique(rows, "shading")
    first = Needed({(r["machine"], r["shading"]): r for r in rows if r["rank"] == 1})
    best = [[machine, *(cell for shading in shadings
                        for cell in (f"{first[machine, shading]['bin']:g}², {short(first[machine, shading]['pattern'])}",
                                     f"{first[machine, shading]['gain']:.2f}"))] for machine in sorted(unique(rows, "machine"), key=lambda name: int(name.split()[0]) if name[0].isdigit() else 1 << 30)]
    return None, [("The best for every machine, and times as fast as Van der Corput with 64²",
                   ["machine", *(cell for shading in shadings for cell in (shading, "times as fast"))], best),
                  ("The best three for every machine (default: Van der Corput, 64²)",
                   ["machine", "shading", "rank", "bin", "pattern", "measured ms", "measured ms, default", "simulated ms",
                    "simulated ms, default", "times as fast"], table)]
