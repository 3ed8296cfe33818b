"""Figures of what the pipeline did under a pattern: time, blocks, bin sizes.

A function takes the rows of its table and returns a figure (None: tables alone) and tables, as in maps.py.
"""
import numpy

from plotting import GREY, NAVY, ORANGE, PALE, PURPLE, Needed, finish, inner_legend, plt, some, unique

from .look import below, color_of, gmean, hmean, short


def speedups(rows):
    """(order, rasterizers, bin, pattern) -> [(frame, speed-up, row, Diagonal's row)]."""
    base = Needed({(r["frame"], r["order"], r["rasterizers"], r["bin"]): r for r in rows if r["pattern"] == "diagonal"})
    found = {}
    for r in rows:
        d = base[r["frame"], r["order"], r["rasterizers"], r["bin"]]
        found.setdefault((r["order"], r["rasterizers"], r["bin"], r["pattern"]), []).append(
            (r["frame"], d["time_ms"] / r["time_ms"], r, d))
    return found


def pipeline(rows):
    found = speedups(rows)
    orders, bins = unique(rows, "order"), unique(rows, "bin")
    counts, names = unique(rows, "rasterizers"), unique(rows, "pattern")
    figure, grid = plt.subplots(len(orders), len(bins), figsize=(5.5 * len(bins), 4 * len(orders)), squeeze=False)
    tables = []
    for line, order in enumerate(orders):
        table = []
        for column, bin_ in enumerate(bins):
            axes = grid[line][column]
            for name in names:
                points = [(n, hmean([s[1] for s in found[order, n, bin_, name]])) for n in counts if (order, n, bin_, name) in found]
                axes.plot([p[0] for p in points], [p[1] for p in points], color=color_of(name), marker="o", markersize=4,
                          linewidth=1.4, label=short(name))
            axes.set_xscale("log")
            axes.set_xticks(counts, [f"{n:g}" for n in counts])
            axes.minorticks_off()
            axes.set_ylim(bottom=0.8)
            finish(axes, f"{order} shading, bins of {bin_:g}", "rasterizers", "speed-up over Diagonal")
        for n in counts:
            cells = [f"{n:g}"]
            for bin_ in bins:
                for name in names:
                    s = found.get((order, n, bin_, name))
                    cells.append(f"{numpy.mean([x[2]['time_ms'] for x in s]):.1f} ({hmean([x[1] for x in s]):.2f})" if s else "")
            table.append(cells)
        tables.append((f"Table 2, {order} shading: ms (speed-up over Diagonal, harmonic mean)",
                       ["rasterizers"] + [f"{b:g}² {short(name)}" for b in bins for name in names], table))
    below(figure, grid.flat, 6, 0.05)
    return figure, tables


def prediction(rows):
    """Does c_v predict the speed-up? Every pattern but Diagonal, every setting, every frame."""
    orders = unique(rows, "order")
    figure, grid = plt.subplots(len(orders), 2, figsize=(11, 4.6 * len(orders)), squeeze=False)
    found = speedups(rows)
    table = []
    for line, order in enumerate(orders):
        points = [(name, s, r, d) for (o, n, b, name), all_ in found.items() if o == order and name != "diagonal"
                  for _, s, r, d in all_]
        some(points, f"{order} order with another pattern than Diagonal")
        measured = numpy.array([p[1] for p in points])
        # With c_v, the longest rasterizer is taken to lie two deviations above the mean.
        models = [("c_v: (1 + 2 c_v Diagonal) / (1 + 2 c_v)", [(1 + 2 * d["cv_map"]) / (1 + 2 * r["cv_map"]) for _, _, r, d in points]),
                  ("most / mean of the fragments", [d["imbalance_map"] / r["imbalance_map"] for _, _, r, d in points])]
        for column, (title, predicted) in enumerate(models):
            axes = grid[line][column]
            predicted = numpy.array(predicted)
            for name in unique([{"n": p[0]} for p in points], "n"):
                chosen = [i for i, p in enumerate(points) if p[0] == name]
                axes.scatter(predicted[chosen], measured[chosen], s=9, color=color_of(name), alpha=0.6, label=short(name), linewidths=0)
            r = numpy.corrcoef(predicted, measured)[0, 1]
            rank = numpy.corrcoef(predicted.argsort().argsort(), measured.argsort().argsort())[0, 1]
            low, high = min(predicted.min(), measured.min()), max(predicted.max(), measured.max())
            axes.plot([low, high], [low, high], color=GREY, linewidth=0.8, linestyle="--")
            finish(axes, f"{order} shading: r = {r:.3f}, rank r = {rank:.3f}", f"predicted speed-up, {title}", "measured")
            table.append([order, title, f"{r:.3f}", f"{rank:.3f}", f"{len(points)}"])
    below(figure, grid.flat, 6, 0.05)
    return figure, [("Correlation of prediction and measurement", ["shading", "predictor", "r", "rank r", "points"], table)]


def blocks(rows):
    simulated = [r for r in rows if r["kind"] == "simulated"]
    chosen = some([r for r in simulated if r["pattern"] in ("diagonal", "van-der-corput")], "diagonal")
    frames = unique(chosen, "frame")

    def spread(frame):  # where the pattern matters most
        end = {p: max(some([sum(r[k] for k in ("geometry_ms", "raster_ms", "idle_ms")) for r in chosen
                            if r["frame"] == frame and r["pattern"] == p], f"{p} and {frame}"))
               for p in ("diagonal", "van-der-corput")}
        return end["diagonal"] / end["van-der-corput"]

    frame = max(frames, key=spread)
    figure, grid = plt.subplots(1, 2, figsize=(11, 4.4), sharey=True)
    for axes, name in zip(grid, ("diagonal", "van-der-corput")):
        part = sorted((r for r in chosen if r["frame"] == frame and r["pattern"] == name), key=lambda r: r["block"])
        at = numpy.zeros(len(part))
        for key, color in (("raster_ms", NAVY), ("geometry_ms", ORANGE), ("idle_ms", PALE)):
            values = numpy.array([r[key] for r in part])
            axes.bar(range(len(part)), values, bottom=at, color=color, label=key[:-3], width=0.8)
            at += values
        axes.set_xticks(range(0, len(part), 2))
        finish(axes, f"{short(name)}, {frame}", "block", "ms")
    below(figure, grid, 3, 0.07)
    table = []
    for f in frames:
        for name in unique(simulated, "pattern"):
            part = [r for r in simulated if r["frame"] == f and r["pattern"] == name]
            total = sum(r["geometry_ms"] + r["raster_ms"] + r["idle_ms"] for r in part)
            table.append([f, short(name), f"{total / len(part):.1f}"] +
                         [f"{100 * sum(r[k] for r in part) / total:.1f} %" for k in ("raster_ms", "geometry_ms", "idle_ms")])
    return figure, [("20 blocks, a rasterizer each, bins of 64²", ["frame", "pattern", "ms", "raster", "geometry", "idle"], table)]


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
            own = {r["shading"]: r for r in here if r["asked"] == 0}
            sixty = next((r for r in here if r["asked"] == 60 and r["shading"] == "flat"), None)
            if sixty is None or "flat" not in own:
                continue
            table.append([f, f"{b:g}", f"{sixty['rasterizer_pairs'] / sixty['triangles']:.2f}", f"{sixty['bin_pairs'] / sixty['triangles']:.2f}",
                          f"{sixty['queue_bytes'] / 1024:.0f}", f"{sixty['visits']:.0f}", f"{sixty['raster_ms'] + sixty['geometry_ms']:.1f}",
                          f"{own['flat']['frame_ms']:.1f}", f"{own['multiply-add']['frame_ms']:.1f}" if "multiply-add" in own else ""])
    tables.append(("Small bins: 60 rasterizers (pairs, queues, work) and this computer (frame)",
                   ["frame", "bin", "pairs / triangle", "bin pairs / triangle", "queue KiB", "visits", "work ms", "frame ms, flat",
                    "frame ms, multiply-add"], table))
    return figure, tables


def recommend(rows):
    table = [[r["machine"], r["shading"], f"{r['rank']:g}", f"{r['bin']:g}", short(r["pattern"]), f"{r['ms']:.2f}",
              f"{r['default_ms']:.2f}", f"{r['gain']:.2f}"] for r in rows if r["rank"] <= 3]
    return None, [("The best three for every machine (default: Van der Corput, 64²)",
                   ["machine", "shading", "rank", "bin", "pattern", "ms", "default ms", "times as fast"], table)]
