// The tile path: triangles in submission order through one 8x8 tile whose colour, depth and stencil stay on chip.
#pragma once

#include "raster/edges.h"
#include "raster/plane.h"
#include "raster/program_run.h"
#include "raster/region.h"
#include "raster/shade.h"
#include "target/pixel.h"

BROKKR_MACHINE_BEGIN

// One warp's tile.
struct TileBuffer {
  uint32_t color[kTileSamples], color_high[kTileSamples];
  float depth[kTileSamples];
  uint32_t stencil[kTileSamples];
};

struct TileCounts {
  uint64_t fragments = 0, shaded = 0, quads = 0;
  BROKKR_FN void operator+=(const TileCounts& more) {
    fragments += more.fragments;
    shaded += more.shaded;
    quads += more.quads;
  }
};

BROKKR_FN ColorFormat format_of(const TargetTables& planes, const RegionRecord& region) {
  return ColorFormat(planes.targets[region.target].format);
}

// One tile of an ordered phase, as the warp that owns it works on it.
struct TilePass {
  const TargetTables& planes;
  const RegionRecord& region;
  ShadeContext& shading;
  TileBuffer& tile;
  TileCounts& counts;
  ColorFormat format;
  int x0 = 0, y0 = 0;  // the tile's first sample in its region
  size_t memory = 0;   // and in the planes

  BROKKR_FN bool half() const { return format == ColorFormat::rgba16f; }
};

BROKKR_FN void load_tile(Warp& w, const TilePass& pass, const RegionState& state) {
  const TargetTables& planes = pass.planes;
  const size_t memory = pass.memory;
  TileBuffer& tile = pass.tile;
  for (int s = 0; s < kTileSamples; s += w.width) {
    w.store(tile.color + s, state.bits & kClearColor ? uint32_t(state.color) : w.load(planes.color + memory + s));
    if (pass.half()) {
      w.store(tile.color_high + s,
              state.bits & kClearColor ? uint32_t(state.color >> 32) : w.load(planes.color_high + memory + s));
    }
    w.store(tile.depth + s, state.bits & kClearDepth ? state.depth : w.load(planes.depth + memory + s));
    const uint32_t* words = reinterpret_cast<const uint32_t*>(planes.stencil + memory);
    const Int i = w.lane() + s;
    const Uint bytes = w.gather(words, i >> 2, true) >> as_uint((i & 3) << 3);
    w.store(tile.stencil + s, state.bits & kClearStencil ? state.stencil : bytes & 0xff);
  }
  w.sync();
}

BROKKR_FN void store_tile(Warp& w, const TilePass& pass) {
  const TargetTables& planes = pass.planes;
  const size_t memory = pass.memory;
  const TileBuffer& tile = pass.tile;
  w.sync();
  for (int s = 0; s < kTileSamples; s += w.width) {
    w.store(planes.color + memory + s, w.load(tile.color + s));
    if (pass.half()) w.store(planes.color_high + memory + s, w.load(tile.color_high + s));
    w.store(planes.depth + memory + s, w.load(tile.depth + s));
  }
  uint32_t* words = reinterpret_cast<uint32_t*>(planes.stencil + memory);
  for (int s = 0; s < kTileSamples / 4; s += w.width) {
    const Mask m = w.first_lanes(kTileSamples / 4 - s);
    const Int at = (w.lane() + s) * 4;
    Uint word = 0u;
    for (int k = 0; k < 4; ++k) word = word | (w.gather(tile.stencil, at + k, m) << (8 * k));
    w.store(words + s, word, m);
  }
  w.sync();
}

// Channels 0..3 as the bytes of a word.
BROKKR_FN uint32_t bytes_of_channels(uint32_t channels) { return ((channels * 0x00204081u) & 0x01010101u) * 0xffu; }

// The stencil test of samples s .. s + width - 1 and, after the depth test, its operation.
struct StencilTest {
  Uint old;
  Mask passed;

  BROKKR_FN StencilTest(Warp& w, const DrawRecord& draw, const uint32_t* stencil, Mask m)
      : old(w.load(stencil)),
        passed(m &&
               compare(draw.stencil_func, uint32_t(draw.stencil_ref & draw.stencil_mask), old & draw.stencil_mask)) {}
  // `visible`: the lanes that passed the depth test too.
  BROKKR_FN void write(Warp& w, const DrawRecord& draw, uint32_t* stencil, Mask visible, Mask m) const {
    const uint32_t ref = draw.stencil_ref;
    Uint next =
        select(passed, stencil_result(draw.stencil_ops[1], old, ref), stencil_result(draw.stencil_ops[0], old, ref));
    next = select(visible, stencil_result(draw.stencil_ops[2], old, ref), next);
    const uint32_t writable = draw.stencil_write_mask;
    w.store(stencil, (next & writable) | (old & ~writable), m);
  }
};

// What of a colour is written, and how.
struct ColorWrite {
  uint8_t mask;
  bool blends, bounded;  // ProgramColor::bounded
  const uint8_t (&blend_color)[3], (&blend_alpha)[3];
  const float (&constant)[4];

  BROKKR_FN static ColorWrite of(const DrawRecord& draw) {
    return {draw.color_mask,    (draw.bits & kDrawBlend) != 0, false, draw.blend_color, draw.blend_alpha,
            draw.blend_constant};
  }
  BROKKR_FN static ColorWrite of(const ProgramColor& color, const DrawRecord& draw) {
    return {color.mask,        color.blends != 0, color.bounded != 0,
            color.blend_color, color.blend_alpha, draw.blend_constant};
  }
};

// Blends a colour over samples s .. s + width - 1 of the tile.
BROKKR_FN void write_color(Warp& w, const TilePass& pass, const ColorWrite& how, ColorFormat stored_as, int s,
                           Color color, Mask m) {
  const uint32_t format = uint32_t(stored_as);
  TileBuffer& tile = pass.tile;
  const Uint old_low = w.load(tile.color + s), old_high = pass.half() ? w.load(tile.color_high + s) : 0u;
  if (how.blends) {
    color = blend(how.blend_color, how.blend_alpha, how.constant, how.bounded || !pass.half(), color,
                  load_color(format, old_low, old_high));
    if (how.bounded) color = {saturate(color.r), saturate(color.g), saturate(color.b), saturate(color.a)};
  }
  const Stored stored = store_color(format, color);
  if (pass.half()) {
    const uint32_t low = (how.mask & 1 ? 0xffffu : 0u) | (how.mask & 2 ? 0xffff0000u : 0u);
    const uint32_t high = (how.mask & 4 ? 0xffffu : 0u) | (how.mask & 8 ? 0xffff0000u : 0u);
    w.merge(tile.color + s, (stored.low & low) | (old_low & ~low), m);
    w.merge(tile.color_high + s, (stored.high & high) | (old_high & ~high), m);
  } else {
    const uint32_t low = bytes_of_channels(how.mask);
    w.merge(tile.color + s, (stored.low & low) | (old_low & ~low), m);
  }
}

// The same of a plane beyond the first, which stays in memory.
BROKKR_FN void write_plane(Warp& w, const TilePass& pass, const ProgramColor& to, const ColorWrite& how, bool raw,
                           int s, const Color& color, Mask m) {
  const PlaneSamples plane(pass.planes, pass.region.target, to.plane, pass.memory + size_t(s), raw);
  Color value = color;
  if (how.blends || how.mask != 15) {
    const Color old = plane.load(w, m);
    if (how.blends) value = blend(how.blend_color, how.blend_alpha, how.constant, !plane.is_float(), color, old);
    value = {how.mask & 1 ? value.r : old.r, how.mask & 2 ? value.g : old.g, how.mask & 4 ? value.b : old.b,
             how.mask & 8 ? value.a : old.a};
  }
  plane.store(w, value, m);
}

// A triangle in a tile, sample by sample.
struct TileTriangle {
  const TilePass& pass;
  const DrawRecord& draw;
  const RegionTriangle& tri;
  const TileEdges& edges;

  BROKKR_FN size_t memory(int s) const { return pass.memory + size_t(s); }

  BROKKR_FN Mask passes_depth(Warp& w, int s, Float z, Mask m) const {
    return draw.bits & kDrawDepthTest ? m && compare(draw.depth_func, z, w.load(pass.tile.depth + s)) : m;
  }
  // Stencil and depth test of samples s .. s + width - 1, with the stencil's operations. Returns those that pass.
  BROKKR_FN Mask test(Warp& w, int s, Float z, Mask m) const {
    if (!(draw.bits & kDrawStencil)) return passes_depth(w, s, z, m);
    const StencilTest stencil(w, draw, pass.tile.stencil + s, m);
    const Mask visible = passes_depth(w, s, z, stencil.passed);
    stencil.write(w, draw, pass.tile.stencil + s, visible, m);
    return visible;
  }
  // The same without changing anything.
  BROKKR_FN Mask would_pass(Warp& w, int s, Float z, Mask m) const {
    if (draw.bits & kDrawStencil) m = StencilTest(w, draw, pass.tile.stencil + s, m).passed;
    return passes_depth(w, s, z, m);
  }
  BROKKR_FN void write_depth(Warp& w, int s, Float z, Mask m) const {
    if (!(draw.bits & kDrawDepthWrite)) return;
    w.merge(pass.tile.depth + s, z, m);
    if (pass.planes.depth_id) w.merge(pass.planes.depth_id + memory(s), tri.primitive, m);
  }
  BROKKR_FN void note_writer(Warp& w, int s, Mask m) const {
    if (pass.planes.visible_id) w.merge(pass.planes.visible_id + memory(s), tri.primitive, m);
  }
  BROKKR_FN void write(Warp& w, int s, Color color, Mask m) const {
    if (draw.bits & kDrawSeeThrough) color.a = color.a * 0.4f;
    write_color(w, pass, ColorWrite::of(draw), pass.format, s, color, m);
    note_writer(w, s, m);
  }
  // The colours of the draw's program.
  BROKKR_FN void write_all(Warp& w, const ProgramRun& run, int s, Mask m) const {
    const bool raw = (run.program.bits & kProgramRaw) != 0;
    const ColorFormat format = raw && !pass.half() ? ColorFormat::rgba8 : pass.format;
    for (uint32_t i = 0; i < run.program.color_count; ++i) {
      const ProgramColor& color = run.program.colors[i];
      const ColorWrite how = ColorWrite::of(color, draw);
      if (color.plane == 0) {
        write_color(w, pass, how, format, s, color_of(w, run, color, s), m);
        note_writer(w, s, m);
      } else {
        write_plane(w, pass, color, how, raw, s, color_of(w, run, color, s), m);
      }
    }
  }
  // Covered samples, which are counted.
  BROKKR_FN Mask covered(Warp& w, int s, bool whole, TileCounts& counts) const {
    const Mask m = whole ? true : edges.inside(s);
    const uint32_t bits = w.ballot(m);
    counts.fragments += uint64_t(count_bits(bits));
    counts.quads += uint64_t(count_bits((bits | bits >> 1 | bits >> 2 | bits >> 3) & 0x11111111u));
    if (pass.planes.overdraw && bits != 0)
      w.merge(pass.planes.overdraw + memory(s), w.load(pass.planes.overdraw + memory(s)) + 1, m);
    return m;
  }
};

// A triangle of a draw that is shown by its program. Tests come first, unless the program gives the depth, or discards
// samples that the stencil would count.
BROKKR_FN_NOINLINE void draw_program_in_tile(Warp& w, const TilePass& pass, const DrawRecord& draw,
                                             const RegionTriangle& tri, bool whole) {
  const TileEdges edges(w, tri, pass.x0, pass.y0);
  const TileTriangle triangle{pass, draw, tri, edges};
  const ProgramRun run = open_program(pass.shading, draw.program, pass.x0 + pass.region.x, pass.y0 + pass.region.y);
  const bool discards = (run.program.bits & kProgramDiscards) != 0, depth = (run.program.bits & kProgramDepth) != 0;
  const bool counts_failures =
      draw.stencil_ops[0] != uint8_t(StencilOp::keep) || draw.stencil_ops[1] != uint8_t(StencilOp::keep);
  const bool late = depth || (discards && (draw.bits & kDrawStencil) != 0 && counts_failures);
  TileCounts counts;
  uint64_t wanted = 0;
  for (int s = 0; s < kTileSamples; s += w.width) {
    Mask m = triangle.covered(w, s, whole, counts);
    if (!late && w.any(m)) {
      m = discards ? triangle.would_pass(w, s, edges.depth(s), m) : triangle.test(w, s, edges.depth(s), m);
    }
    w.store(pass.shading.memory->primitive + s, tri.primitive);
    wanted |= uint64_t(w.ballot(m)) << s;
  }
  w.sync();
  uint64_t kept = wanted;
  if (wanted != 0 && (run.program.color_count != 0 || discards || depth)) {
    counts.shaded += uint64_t(count_bits(wanted));
    kept = run_program(w, pass.shading, run, draw.program, wanted, true);
  }
  for (int s = 0; s < kTileSamples && kept != 0; s += w.width) {
    Mask m = w.lanes_of(uint32_t(kept >> s));
    const Float z = depth ? clamp_to(result_of(w, run, run.program.depth, s), 0.0f, 1.0f) + 0.0f : edges.depth(s);
    if (late || discards) m = triangle.test(w, s, z, m);
    if (!w.any(m)) continue;
    triangle.write_depth(w, s, z, m);
    triangle.write_all(w, run, s, m);
  }
  pass.counts += counts;
}

// Coverage, tests, shading and blending of one triangle in one tile.
BROKKR_FN_NOINLINE void draw_in_tile(Warp& w, const TilePass& pass, const DrawRecord& draw, const RegionTriangle& tri,
                                     bool whole) {
  TileCounts counts;
  const MaterialRecord* material = draw.bits & kDrawMaterial ? pass.shading.frame->materials + draw.material : nullptr;
  const bool discards = material && (material->alpha_cutoff > 0.0f || (draw.bits & kDrawAlphaTest)) &&
                        shows_materials(pass.shading.shading);
  const TileEdges edges(w, tri, pass.x0, pass.y0);
  const TileTriangle triangle{pass, draw, tri, edges};
  const Int lane_x = tile_x(w.lane()), lane_y = tile_y(w.lane());
  for (int s = 0; s < kTileSamples; s += w.width) {
    Mask m = triangle.covered(w, s, whole, counts);
    const uint32_t covered = w.ballot(m);
    if (covered == 0) continue;
    Samples in;
    in.x = to_float(lane_x + (tile_x(s) + pass.x0 + pass.region.x)) + 0.5f;
    in.y = to_float(lane_y + (tile_y(s) + pass.y0 + pass.region.y)) + 0.5f;
    in.z = edges.depth(s);
    in.primitive = tri.primitive;
    Fragment<Warp> fragment;
    if (discards) {
      fragment = shade(w, pass.shading, in, true);
      counts.shaded += uint64_t(count_bits(covered));
      m = m && fragment.keep;
      if (draw.bits & kDrawAlphaTest) m = m && compare(draw.alpha_func, fragment.color.w, draw.alpha_ref);
    }
    const Mask visible = triangle.test(w, s, in.z, m);
    if (!w.any(visible)) continue;
    triangle.write_depth(w, s, in.z, visible);
    if (draw.color_mask == 0) continue;
    if (!discards) {
      fragment = shade(w, pass.shading, in, true);
      counts.shaded += uint64_t(w.count(visible));
    }
    triangle.write(w, s, color_of(fragment), visible);
  }
  pass.counts += counts;
}

BROKKR_MACHINE_END
