"""Computes the instructions that a frame issues: its counts times the costs of the hot paths."""
from command_line import Wrong, field, read_json

REMEDY = "name a result of `brokkr render --stats`"
COUNTS = ["batches", "triangles_in", "triangles_out", "vertex_shader_runs", "triangle_rasterizer_pairs", "bins_x", "bins_y", "bin", "fragments",
          "fragments_shaded"]


def read_counts(path):
    statistics = field(read_json(path, REMEDY), "statistics", dict, path, REMEDY)
    counts = {name: field(statistics, name, (int, float), path, REMEDY) for name in COUNTS}
    counts["triangles_direct"] = statistics.get("triangles_direct", 0)
    for name in ("triangles_in", "fragments"):
        if counts[name] <= 0:
            raise Wrong(f"{path}: field '{name}' is {counts[name]}; name a frame that draws something")
    return counts


def frame_cost(rows, s):
    """Returns the warp instructions of an order-free, flat frame of small triangles: (pass, least and most passes,
    least, most)."""
    cost = {row["path"]: row for row in rows if "error" not in row}
    batches, queued = s["batches"], 1 - s["triangles_direct"] / max(1, s["triangles_out"])
    blocks, elements, direct = s["triangles_out"] * queued / 32, s["triangle_rasterizer_pairs"] / 32, s["triangles_direct"] / 32
    samples = s["bins_x"] * s["bins_y"] * s["bin"] ** 2 / 32
    shares = s["vertex_shader_runs"] < 2 * s["triangles_in"]
    side = (2 * s["fragments"] / max(1, s["triangles_out"])) ** 0.5  # of a triangle's box, if all were equal
    # Batches with more than 32 vertices take two passes. In the worst case, blocks and directly drawn batches are half
    # full, and boxes are twice as long.
    seen = min(batches, s["triangles_out"] / 32), min(batches, s["triangles_out"] / 16)
    passes = [("geometry: 32 triangles, besides what follows", seen[0], (1 + shares) * seen[1]),
              ("geometry: 32 triangles of which none is seen", batches - seen[0], (1 + shares) * (batches - seen[1]))]
    if shares:
        passes += [("geometry: find shared vertices of 32 corners", 3 * batches, 6 * batches), ("geometry: number them", 3 * batches, 6 * batches)]
        passes += [("geometry: transform 32 shared vertices", batches, 2 * batches)]
    if direct:
        passes += small_passes("direct", "direct: 32 small triangles", direct, side)
    if elements:
        passes += [("geometry: write up to 32 records to a block", blocks, min(batches, 2 * blocks)),
                   ("distribution: boxes of 32 triangles", blocks, 2 * blocks), ("distribution: bin of them", elements, 2 * elements),
                   ("distribution: block to up to 32 rasterizers", blocks, 2 * blocks)]
        passes += small_passes("small triangles", "small triangles: 32 of a block in a region", elements, side)
        passes += [("key: load, compare and swap, once", s["fragments"] * queued / 32, 2 * elements * (2 * side) ** 2)]
    passes += [("keys: load 32 samples", s["fragments_shaded"] / 32, samples)]
    if direct:
        passes += [("keys: 128 samples of small triangles", s["fragments_shaded"] / 128, samples / 4)]
    passes += [("resolve: 32 samples", samples, samples),
               ("resolve: colour of a pass, besides its shader", s["fragments_shaded"] / 32, samples)]
    missing = [name for name, _, _ in passes if name not in cost]
    if missing:
        raise Wrong(f"--stats: no cost of '{missing[0]}', which the table above says why")
    return [(name, low, high, low * cost[name]["least"], high * cost[name]["most"]) for name, low, high in passes]


def small_passes(way, first, groups, side):
    """Returns the parts that draw groups of 32 small triangles."""
    return [(first, groups, 2 * groups), (f"{way}: row of samples", groups * side, 2 * groups * 2 * side),
            (f"{way}: step to the next sample", groups * side ** 2, 2 * groups * (2 * side) ** 2)]


def print_frame(options, rows, s):
    terms = frame_cost(rows, s)
    print("\n| pass | least passes | most passes | least, million instructions | most |\n|---|---:|---:|---:|---:|")
    for name, low, high, least, most in terms:
        print(f"| {name} | {low:.0f} | {high:.0f} | {least / 1e6:.2f} | {most / 1e6:.2f} |")
    total = [sum(term[i] for term in terms) for i in (3, 4)]
    print(f"| all | | | {total[0] / 1e6:.1f} | {total[1] / 1e6:.1f} |")
    rate = options.multiprocessors * 4 * options.clock * 1e9
    front = [sum(term[i] for term in terms if term[0].startswith(("geometry", "distribution", "direct"))) for i in (3, 4)]
    print(f"\nPer triangle {total[0] / s['triangles_in']:.0f} to {total[1] / s['triangles_in']:.0f} warp instructions, of it "
          f"{front[0] / s['triangles_in']:.0f} to {front[1] / s['triangles_in']:.0f} before the rasterizers; per fragment behind them "
          f"{(total[0] - front[0]) / s['fragments']:.1f} to {(total[1] - front[1]) / s['fragments']:.1f}. "
          f"{options.multiprocessors} multiprocessors at {options.clock} GHz that issue four each clock: {total[0] / rate * 1e3:.3f} to "
          f"{total[1] / rate * 1e3:.3f} ms; at one each clock {total[0] / rate * 4e3:.3f} to {total[1] / rate * 4e3:.3f} ms.")
