"""The hot paths of the kernel: their places in its machine code, and the cost of one pass through each."""
import re

from command_line import ROOT, Wrong

from .toolkit import plain_name

# The fields: name; function; loop, given as the innermost with code of a file and a text of its line (None: the whole
# function; text "": any line of the file; file "": the text is an opcode); opcode that the source has once per pass,
# which tells how often the compiler unrolled the loop; the opcodes or lines that the shortest path must pass, in order;
# and optionally the lines that no path may pass. Functions that the kernel lacks (geometry/features.h) have no line.
TRANSFORM, DEPTH_PLANE = ("geometry/vertex.h", "const auto row = [&](const float* clip)"), ("geometry/setup.h", "if (draw.bits & kDrawPolygonOffset) {")
DRAWN, STORED = ("raster/direct.h", "return draw_group(w, draw, place, setup);"), ("geometry/geometry_stage.h", "if (!open_) open(w);")
CLIPPED = ("geometry/geometry_stage.h", "emit_clipped(w, pass, draw, corners, lane")
PATHS = [
    ("geometry: 32 triangles, besides what follows", "run_task", ("geometry/setup.h", ""), None, [TRANSFORM, ("geometry/setup.h", ""), DEPTH_PLANE],
     [CLIPPED]),
    ("geometry: 32 triangles of which none is seen", "run_task", ("geometry/setup.h", ""), None, [TRANSFORM, ("geometry/setup.h", "")],
     [DEPTH_PLANE, DRAWN, STORED, CLIPPED]),
    ("geometry: find shared vertices of 32 corners", "shade_sub_batch", ("geometry/reuse.h", "while (w.any(todo)) {"), None, []),
    ("geometry: number them", "shade_sub_batch", ("geometry/reuse.h", "seen += uint32_t(w.count(is_first));"), None, []),
    ("geometry: transform 32 shared vertices", "shade_sub_batch", ("geometry/vertex.h", ""), None, []),
    ("geometry: write up to 32 records to a block", "run_task", ("geometry/geometry_stage.h", "if (!open_) open(w);"), None, [("machine/cuda_warp.h", "if (m.m) p[__popc(bits")]),
    ("direct: 32 small triangles", "draw_group", None, None, [("raster/direct.h", "const KeyRule rule{")]),
    ("direct: row of samples", "draw_group", ("raster/visibility.h", "const Float z_y = z_dy"), None, []),
    ("direct: step to the next sample", "draw_group", ("raster/visibility.h", "if (w.any(inside)) {"), "REDG", []),
    ("distribution: boxes of 32 triangles", "distribute", ("bin/distribute.h", "const bool test = columns > 1"), None, [("bin/distribute.h", "const bool test = columns > 1")]),
    ("distribution: bin of them", "distribute", ("bin/distribute.h", "bin_pairs += w.count(here);"), None, [("bin/distribute.h", "bin_pairs += w.count(here);")]),
    ("distribution: block to up to 32 rasterizers", "distribute", ("bin/distribute.h", "const Mask m = w.first_lanes(touched - g);"), None, []),
    ("small triangles: 32 of a block in a region", "rasterize_block", None, None, [("raster/visibility.h", "records.block.z_min, records.block.z_max,")]),
    ("small triangles: row of samples", "rasterize_block", ("raster/visibility.h", "const Float z_y = z_dy"), None, []),
    ("small triangles: step to the next sample", "rasterize_block", ("raster/visibility.h", "if (w.any(inside)) {"), "LDS.64", []),
    ("key: load, compare and swap, once", "rasterize_block", ("", "ATOMS.CAST.SPIN.64"), None, []),
    ("large triangle: in a region", "rasterize_block", ("raster/edges.h", "int64_t(a[k]) * (x * 256 + 128 - vx[k])"), None, []),
    ("large triangle: 32 tiles", "rasterize_block", ("raster/edges.h", "masks.touched |="), None, []),
    ("large triangle: tile of 64 samples", "rasterize_block", ("raster/visibility.h", "const int column = tile & 7, row = tile >> 3"), None, ["ATOMS.CAST.SPIN.64"]),
    ("keys: load 32 samples", "load_keys", ("raster/region.h", "const Uint order = state.bits & kKeysWaiting"), None, []),
    ("keys: 128 samples of small triangles", "move_direct_keys", ("raster/order_free.h", "if (!w.any(some)) continue;"), None, []),
    ("resolve: 32 samples", "resolve_region", ("raster/resolve.h", "shaded += w.count(won);"), None, []),
    ("resolve: colour of a pass, besides its shader", "resolve_region", ("target/pixel.h", ""), None, []),
    ("shader: 32 samples of one draw", "shade_samples", ("raster/interpolate.h", ""), None, []),
    ("ordered: 32 samples of a tile, besides their shader", "draw_in_tile", ("raster/shade.h", ""), None, [("raster/shade.h", "")]),
]


def lines_of(file, text):
    source = (ROOT / "src/engine" / file).read_text()
    at, found = source.find(text), []
    while at >= 0:
        found.append(source.count("\n", 0, at) + 1)
        at = source.find(text, at + 1)
    if not found:
        raise Wrong(f"src/engine/{file} has no '{text}' any more; correct PATHS in tools/sass/paths.py")
    return found


def blocks_with(function, what):
    """Returns the blocks with an opcode ("CALL.REL.NOINC name": of that function), or with code of a line."""
    found = set()
    for b in function.reached:
        for i in function.all_code([b]):
            if isinstance(what, tuple):
                hit = i.file.endswith(what[0]) and (not what[1] or i.line in lines_of(*what))
            else:
                opcode, _, callee = what.partition(" ")
                hit = i.opcode.startswith(opcode) and (not callee or callee in i.operands)
            if hit:
                found.add(b)
    return found


def measure(function, path):
    name, _, loop, opcode, via, *never = path
    result = {"path": name, "function": function.name}
    if loop is None:
        body, head = function.reached, 0
    else:
        file, marker = loop
        lines = lines_of(file, marker) if file and marker else None
        candidates = [(len(blocks), head) for head, blocks in function.loops.items()
                      if any(i.file.endswith(file) and (lines is None or i.line in lines) if file else i.opcode.startswith(marker)
                             for i in function.all_code(blocks))]
        if not candidates:
            return {**result, "error": f"no loop of {function.name} has code of {file}" + (f": {marker.strip()}" if marker else "")}
        if opcode:  # main body and remainder: take the main body
            best = max(sum(i.opcode.startswith(opcode) for i in function.all_code(self_only(function, head))) for _, head in candidates)
            candidates = [(size, head) for size, head in candidates
                          if sum(i.opcode.startswith(opcode) for i in function.all_code(self_only(function, head))) == best]
        head = min(candidates)[1]
        body = function.loops[head]
    for what in (never[0] if never else []):
        body = body - blocks_with(function, what)
    passes = max(1, sum(i.opcode.startswith(opcode) for i in function.all_code(body))) if opcode else 1
    required = []
    for what in via:
        blocks = blocks_with(function, what) & body
        if not blocks:
            return {**result, "error": f"no code of {what}"}
        # An unrolled pass contains the work several times, in the order of the code.
        required += [{b} for b in sorted(blocks, key=function.place.get)] if passes > 1 else [blocks]
    found = function.cost(body, head, required)
    if found is None:
        return {**result, "error": "no way through " + ", ".join(map(str, via))}
    (least, stack_least), (most, stack_most), (size, _) = found
    calls = {plain_name(re.sub(r"[`()\s]", "", i.operands)) for i in function.all_code(body) if i.opcode.startswith("CALL")}
    return {**result, "least": least / passes, "most": most / passes, "stack_least": stack_least / passes,
            "stack_most": stack_most / passes, "size": size, "unrolled": passes,
            "calls": sorted(c for c in calls if not c.startswith("__"))}


def self_only(function, head):
    """Returns the blocks of a loop that belong to no inner loop."""
    body = function.loops[head]
    return body - set().union(*(blocks for other, blocks in function.loops.items() if other != head and blocks < body))
