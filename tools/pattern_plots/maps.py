"""Figures of the experiments on maps of fragments: load, and patterns, including searched ones.

A function takes the rows of its table and returns a figure and tables (title, heads of columns, rows of text).
"""
import math

import numpy

from plotting import GREEN, GREY, PURPLE, Needed, finish, inner_legend, plt, some, unique

from .look import below, color_of, gmean, short


def spacing(rows):
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6))
    curves = {}  # bin -> one per frame: distances in units of half the height, and the deviation there
    for r in rows:
        if not math.isnan(r["ratio"]):
            curves.setdefault(r["bin"], {}).setdefault(r["frame"], []).append((2 * r["distance_px"] / r["height"], r["ratio"]))
    palette = plt.get_cmap("viridis")
    best = []
    bins = [b for b in curves if any(len(c) > 1 for c in curves[b].values())]
    for i, bin_ in enumerate(bins):
        moved = [numpy.array(sorted(c)).T for c in curves[bin_].values() if len(c) > 1]
        grid = numpy.linspace(0, min(c[0][-1] for c in moved), 24)
        mean = numpy.mean([numpy.interp(grid, c[0], c[1]) for c in moved], axis=0)
        left.plot(grid, mean, color=palette(i / max(1, len(bins) - 1)), linewidth=1.5, label=f"{bin_:g}")
        lowest = [int(numpy.argmin(c[1])) for c in moved]
        best.append((bin_, numpy.mean([c[0][k] / c[0][-1] for c, k in zip(moved, lowest)]),
                     numpy.mean([c[0][-1] for c in moved]), numpy.mean([c[1][k] for c, k in zip(moved, lowest)]), len(moved)))
    finish(left, "deviation against bins side by side, mean over frames", "2 x distance / height of the picture", "σ / σ_ref")
    if best:  # a small frame has no room to draw bins separately
        left.legend(title="bin size", fontsize=7, title_fontsize=7, frameon=False, ncol=3)
    left.set_ylim(0, 1.05)
    right.plot([b[0] for b in best], [b[1] for b in best], "o-", color=PURPLE, label="best distance / farthest distance")
    right.plot([b[0] for b in best], [b[3] for b in best], "s-", color=GREEN, label="σ / σ_ref there")
    right.axhline(1, color=GREY, linewidth=0.8, linestyle=":")
    right.set_ylim(0, 1.15)
    finish(right, "where the deviation is least", "bin size in pixels", "")
    inner_legend(right)
    figure.tight_layout(rect=(0, 0, 1, 0.95))
    head = ["bin", "best / farthest distance", "2 x farthest / height", "σ / σ_ref there", "frames"]
    return figure, [("Best distance, means over the frames with room for it", head,
                     [[f"{b:g}", f"{x:.2f}", f"{f:.2f}", f"{y:.2f}", f"{n}"] for b, x, f, y, n in best])]


def orientation(rows):
    frames, lengths = unique(rows, "frame"), unique(rows, "samples")
    shown = frames[:12]
    columns = min(4, len(shown))
    lines = math.ceil(len(shown) / columns)
    figure, grid = plt.subplots(lines, columns, figsize=(3.1 * columns, 3.3 * lines + 0.5), squeeze=False,
                                subplot_kw={"projection": "polar"})
    table = []
    for frame in frames:
        cells = [frame]
        for n in lengths:
            part = [r for r in rows if r["frame"] == frame and r["samples"] == n]
            if part:
                low, high = min(part, key=lambda r: r["sigma"]), max(part, key=lambda r: r["sigma"])
                cells += [f"{low['sigma']:.2f} ({low['angle']:g}°)", f"{high['sigma']:.2f} ({high['angle']:g}°)"]
            else:
                cells += ["", ""]
        table.append(cells)
    for axes in grid.flat[len(shown):]:
        axes.set_visible(False)
    for axes, frame in zip(grid.flat, shown):
        for ring, n in enumerate(lengths):
            part = sorted((r for r in rows if r["frame"] == frame and r["samples"] == n), key=lambda r: r["angle"])
            if not part:
                continue
            sigma = numpy.array([r["sigma"] for r in part])
            sigma = (sigma - sigma.min()) / max(1e-12, sigma.max() - sigma.min())
            values = numpy.concatenate([sigma, sigma])
            step = math.pi / len(part)
            edges = numpy.arange(len(values) + 1) * step - step / 2
            axes.grid(False)
            axes.pcolormesh(edges, [ring + 1, ring + 1.92], values[None, :], cmap="RdYlBu_r", shading="flat", vmin=0, vmax=1)
            axes.text(math.radians(-22), ring + 1.45, f"{n:g}", fontsize=6, ha="center", va="center")
        # [Kerbl17] counts from the vertical: a line drawn at its own angle.
        axes.set_theta_zero_location("N")
        axes.set_theta_direction(-1)
        axes.set_xticks([math.radians(a) for a in range(0, 360, 45)])
        axes.tick_params(labelsize=6, pad=-2)
        axes.set_yticks([])

        axes.set_title(frame, fontsize=8, pad=8)
    figure.tight_layout(rect=(0, 0, 1, 0.93))
    head = ["frame"] + [f"N = {n:g}: {side}" for n in lengths for side in ("σ_lo", "σ_hi")]
    return figure, [("Table 1: lowest and highest normalised deviation, and their angle from the vertical", head, table)]


def relative(rows):
    """Returns the mean over frames of sigma divided by Diagonal's sigma: [pattern][bin][rasterizers]."""
    base = Needed({(r["frame"], r["bin"], r["rasterizers"]): r["sigma"] for r in rows if r["pattern"] == "diagonal"})
    sums = {}
    for r in rows:
        reference = base[r["frame"], r["bin"], r["rasterizers"]]
        if reference > 0:
            sums.setdefault(r["pattern"], {}).setdefault(r["bin"], {}).setdefault(r["rasterizers"], []).append(
                r["sigma"] / reference)
    return Needed({p: {b: {n: numpy.mean(v) for n, v in ns.items()} for b, ns in bins.items()} for p, bins in sums.items()})


def load(rows):
    ratio = relative(rows)
    families = [("space-filling curves (Fig. 7)", ["z-curve", "hilbert"]),
                ("randomised (Fig. 8)", ["pseudo-random", "hierarchical-maximized-distance"]),
                ("fixed shift (Fig. 9)", ["x-shift", "y-shift", "x-shift-offset"]),
                ("variable shift (Fig. 10)", ["sudoku", "van-der-corput"])]
    figure, grid = plt.subplots(2, 2, figsize=(11, 8))
    for axes, (title, names) in zip(grid.flat, families):
        axes.axhline(1, color=color_of("diagonal"), linewidth=1, linestyle="--", label="Diagonal")
        for name in names:
            bins = ratio[name]
            counts = sorted(n for n in next(iter(bins.values())))
            values = numpy.array([[bins[b].get(n, math.nan) for n in counts] for b in bins])
            axes.fill_between(counts, numpy.nanmin(values, axis=0), numpy.nanmax(values, axis=0), color=color_of(name), alpha=0.18,
                              linewidth=0)
            axes.plot(counts, numpy.nanmean(values, axis=0), color=color_of(name), linewidth=1.5, label=short(name))
        axes.set_ylim(0, 3)
        finish(axes, title, "rasterizers", "σ / σ of Diagonal")
        inner_legend(axes)
    figure.tight_layout(rect=(0, 0, 1, 0.95))
    head = ["pattern", "2-8 rasterizers", "9-20", "21-40", "41-64", "all"]
    ranges = [(2, 8), (9, 20), (21, 40), (41, 64), (2, 64)]
    table = []
    for name, bins in ratio.items():
        cells = [gmean([v for ns in bins.values() for n, v in ns.items() if a <= n <= b]) for a, b in ranges]
        table.append((cells[-1], [short(name)] + [f"{c:.2f}" for c in cells]))
    return figure, [("σ in units of Diagonal's, geometric mean over frames and bin sizes", head,
                     [cells for _, cells in sorted(table)])]


def variation(rows):
    names = ["diagonal", "hilbert", "hierarchical-maximized-distance", "x-shift-offset", "van-der-corput"]
    figure, grid = plt.subplots(1, 3, figsize=(13, 4.6))
    table = []
    for axes, bin_ in zip(grid, (16, 64, 128)):
        part = some([r for r in rows if r["bin"] == bin_], f"bin {bin_}")
        for name in names:
            counts = sorted({r["rasterizers"] for r in part})
            mean = Needed({n: numpy.mean(some([r["cv"] for r in part if r["pattern"] == name and r["rasterizers"] == n],
                                              f"{name} with {n:g} rasterizers")) for n in counts})
            axes.plot(counts, [100 * mean[n] for n in counts], color=color_of(name), linewidth=1.5, label=short(name))
            table.append([f"{bin_}", short(name)] + [f"{100 * mean[n]:.2f} %" for n in (4, 10, 18, 20, 30, 60)])
        finish(axes, f"bins of {bin_} x {bin_}", "rasterizers", "c_v in %")
        axes.set_ylim(bottom=0)
    below(figure, grid)
    return figure, [("c_v, mean over the frames", ["bin", "pattern", "4 rasterizers", "10", "18", "20", "30", "60"], table)]


def partition(rows):
    settings = list(dict.fromkeys((r["rasterizers"], r["bin"]) for r in rows))
    # Frames with as many triangles as the finest partition needs.
    longest = {f: max(r["partitions"] for r in rows if r["frame"] == f) for f in unique(rows, "frame")}
    full = [f for f in longest if longest[f] == max(longest.values())]
    figure, grid = plt.subplots(2, len(settings), figsize=(4 * len(settings), 7.4), squeeze=False)
    table = []
    for column, (n, bin_) in enumerate(settings):
        curves = Needed()
        for r in rows:
            if (r["rasterizers"], r["bin"]) == (n, bin_) and r["frame"] in full:
                curves.setdefault(r["pattern"], {}).setdefault(r["partitions"], []).append(r["cv"])
        reference = Needed({m: numpy.mean(v) for m, v in curves["van-der-corput"].items()})
        for name, values in curves.items():
            ms = sorted(values)
            mean = [numpy.mean(values[m]) for m in ms]
            grid[0][column].plot(ms, mean, color=color_of(name), linewidth=1.4, label=short(name))
            grid[1][column].plot(ms, [v / reference[m] for m, v in zip(ms, mean)], color=color_of(name), linewidth=1.4, label=short(name))
            chosen = [m for m in (1, 5, 10, 100, 1000, 10000) if m in values]
            table.append([f"{n:g}", f"{bin_:g}", short(name)] +
                         [f"{numpy.mean(values[m]):.3f} ({numpy.mean(values[m]) / reference[m]:.2f})" for m in chosen])
        for line, label in ((0, "c_v"), (1, "c_v / Van der Corput's")):
            grid[line][column].set_xscale("log")
            finish(grid[line][column], f"{n:g} rasterizers, bins of {bin_:g}", "batches M", label)
    below(figure, grid.flat, 8, 0.06)
    head = [f"{len(full)} frames: rasterizers", "bin", "pattern"] + [f"M = {m}" for m in (1, 5, 10, 100, 1000, 10000) if m in reference]
    return figure, [("c_v of parts of the frame (and in units of Van der Corput's), means of frames with enough triangles", head, table)]


def search(rows):
    unseen = [r for r in rows if r["unseen"] == 1] or rows
    settings = list(dict.fromkeys((r["rasterizers"], r["bin"]) for r in unseen))
    names = ["diagonal", "hilbert", "sudoku", "x-shift-offset", "van-der-corput", "searched-shifts", "searched"]
    table, bars = [], {name: [] for name in names}
    for n, bin_ in settings:
        part = [r for r in unseen if (r["rasterizers"], r["bin"]) == (n, bin_)]
        value = Needed({(r["frame"], r["pattern"]): r["cv"] for r in part})
        frames = unique(part, "frame")
        for name in names:
            ratios = [value[f, name] / value[f, "van-der-corput"] for f in frames if (f, name) in value]
            bars[name].append(gmean(ratios))
        best = "searched" if any(r["pattern"] == "searched" for r in part) else "searched-shifts"

        def gain(other):
            return 1 - gmean([value[f, best] / value[f, other] for f in frames])

        wins = sum(value[f, best] < min(value[f, "van-der-corput"], value[f, "x-shift-offset"]) for f in frames)
        table.append([f"{n:g}", f"{bin_:g}", short(best), f"{numpy.mean([value[f, best] for f in frames]):.4f}",
                      f"{100 * gain('van-der-corput'):.1f} %", f"{100 * gain('x-shift-offset'):.1f} %",
                      f"{100 * gain('hilbert'):.1f} %", f"{wins} of {len(frames)}"])
    figure, axes = plt.subplots(figsize=(11, 4.6))
    width = 0.8 / len(names)
    for i, name in enumerate(names):
        axes.bar([x + (i - len(names) / 2 + 0.5) * width for x in range(len(settings))], bars[name], width, color=color_of(name),
                 label=short(name))
    axes.axhline(1, color=PURPLE, linewidth=0.8, linestyle=":")
    axes.set_xticks(range(len(settings)), [f"{n:g}\n{b:g}²" for n, b in settings])
    axes.set_ylim(0, 2.5)
    finish(axes, "c_v in units of Van der Corput's" + (" on frames that the search has not seen" if rows is not unseen else ""),
           "rasterizers, bin size", "")
    below(figure, [axes], 7, 0.07)
    return figure, [("Gain of the searched pattern: share of c_v that is gone",
                     ["rasterizers", "bin", "family", "mean c_v", "over Van der Corput", "over X-shift+offset", "over Hilbert",
                      "best of the three on"], table)]
