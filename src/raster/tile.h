// The tile path: triangles in submission order through one 8x8 tile whose colour, depth and stencil stay on chip.
#pragma once

#include "raster/edges.h"
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
  BROKKR_FN void operator+=(const TileCounts& c) {
    fragments += c.fragments;
    shaded += c.shaded;
    quads += c.quads;
  }
};

// One tile of an ordered phase, as the warp that owns it works on it.
struct TilePass {
  const TargetTables& targets;
  const RegionRecord& region;
  ShadeContext& shading;
  TileBuffer& tile;
  TileCounts& counts;
  int x0, y0;     // the tile's first sample in its region
  size_t memory;  // and in the planes
  ColorFormat format;

  BROKKR_FN TilePass(const TargetTables& t, const RegionRecord& r, ShadeContext& context, TileBuffer& buffer,
                     TileCounts& c)
      : targets(t),
        region(r),
        shading(context),
        tile(buffer),
        counts(c),
        x0(0),
        y0(0),
        memory(0),
        format(ColorFormat(t.targets[r.target].format)) {}
  BROKKR_FN bool half() const { return format == ColorFormat::rgba16f; }
};

BROKKR_FN void load_tile(Warp& w, const TilePass& p, const RegionState& state) {
  const TargetTables& t = p.targets;
  const size_t memory = p.memory;
  TileBuffer& tile = p.tile;
  for (int s = 0; s < kTileSamples; s += w.width) {
    w.store(tile.color + s, state.bits & kClearColor ? Uint(uint32_t(state.color)) : w.load(t.color + memory + s));
    if (p.half()) {
      w.store(tile.color_high + s,
              state.bits & kClearColor ? Uint(uint32_t(state.color >> 32)) : w.load(t.color_high + memory + s));
    }
    w.store(tile.depth + s, state.bits & kClearDepth ? Float(state.depth) : w.load(t.depth + memory + s));
    const uint32_t* words = reinterpret_cast<const uint32_t*>(t.stencil + memory);
    const Int i = w.lane() + s;
    const Uint bytes = w.gather(words, i >> 2, Mask(true)) >> as_uint((i & 3) << 3);
    w.store(tile.stencil + s, state.bits & kClearStencil ? Uint(state.stencil) : bytes & 0xff);
  }
  w.sync();
}

BROKKR_FN void store_tile(Warp& w, const TilePass& p) {
  const TargetTables& t = p.targets;
  const size_t memory = p.memory;
  const TileBuffer& tile = p.tile;
  w.sync();
  for (int s = 0; s < kTileSamples; s += w.width) {
    w.store(t.color + memory + s, w.load(tile.color + s));
    if (p.half()) w.store(t.color_high + memory + s, w.load(tile.color_high + s));
    w.store(t.depth + memory + s, w.load(tile.depth + s));
  }
  uint32_t* words = reinterpret_cast<uint32_t*>(t.stencil + memory);
  for (int s = 0; s < kTileSamples / 4; s += w.width) {
    const Mask m = w.first_lanes(kTileSamples / 4 - s);
    const Int at = (w.lane() + s) * 4;
    Uint word(0u);
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
        passed(m && compare(draw.stencil_func, Uint(draw.stencil_ref & draw.stencil_mask), old & draw.stencil_mask)) {}
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

// Blends a colour over samples s .. s + width - 1 of the tile.
BROKKR_FN void write_color(Warp& w, const TilePass& p, const DrawRecord& draw, int s, Color color, Mask m) {
  const uint32_t format = uint32_t(p.format);
  TileBuffer& tile = p.tile;
  if (draw.bits & kDrawSeeThrough) color.a = color.a * 0.4f;
  const Uint old_low = w.load(tile.color + s), old_high = p.half() ? w.load(tile.color_high + s) : Uint(0u);
  if (draw.bits & kDrawBlend) {
    color = blend(draw.blend_color, draw.blend_alpha, draw.blend_constant, format, color,
                  load_color(format, old_low, old_high));
  }
  const Stored c = store_color(format, color);
  if (p.half()) {
    const uint32_t low = (draw.color_mask & 1 ? 0xffffu : 0u) | (draw.color_mask & 2 ? 0xffff0000u : 0u);
    const uint32_t high = (draw.color_mask & 4 ? 0xffffu : 0u) | (draw.color_mask & 8 ? 0xffff0000u : 0u);
    w.store(tile.color + s, (c.low & low) | (old_low & ~low), m);
    w.store(tile.color_high + s, (c.high & high) | (old_high & ~high), m);
  } else {
    const uint32_t low = bytes_of_channels(draw.color_mask);
    w.store(tile.color + s, (c.low & low) | (old_low & ~low), m);
  }
}

// Coverage, tests, shading and blending of one triangle in one tile.
BROKKR_FN_NOINLINE void draw_in_tile(Warp& w, const TilePass& p, const DrawRecord& draw, const RegionTriangle& tri,
                                     bool whole) {
  const TargetTables& t = p.targets;
  const size_t memory = p.memory;
  TileCounts counts;
  const MaterialRecord* material = draw.bits & kDrawMaterial ? p.shading.frame->materials + draw.material : nullptr;
  const bool discards =
      material && (material->alpha_cutoff > 0.0f || (draw.bits & kDrawAlphaTest)) && shows_materials(p.shading.shading);
  const TileEdges edges(w, tri, p.x0, p.y0);
  const Int lane_x = tile_x(w.lane()), lane_y = tile_y(w.lane());
  for (int s = 0; s < kTileSamples; s += w.width) {
    Mask m = whole ? Mask(true) : edges.inside(s);
    const uint32_t covered = w.ballot(m);
    if (covered == 0) continue;
    counts.fragments += uint64_t(count_bits(covered));
    counts.quads += uint64_t(count_bits((covered | covered >> 1 | covered >> 2 | covered >> 3) & 0x11111111u));
    if (t.overdraw) w.store(t.overdraw + memory + s, w.load(t.overdraw + memory + s) + 1, m);
    Samples in;
    in.x = to_float(lane_x + (tile_x(s) + p.x0 + p.region.x)) + 0.5f;
    in.y = to_float(lane_y + (tile_y(s) + p.y0 + p.region.y)) + 0.5f;
    in.z = edges.depth(s);
    in.primitive = tri.primitive;
    Fragment<Warp> f;
    if (discards) {
      f = shade(w, p.shading, in, true);
      counts.shaded += uint64_t(count_bits(covered));
      m = m && f.keep;
      if (draw.bits & kDrawAlphaTest) m = m && compare(draw.alpha_func, f.color.w, Float(draw.alpha_ref));
    }
    const auto passes_depth = [&](Mask tested) {
      return draw.bits & kDrawDepthTest ? tested && compare(draw.depth_func, in.z, w.load(p.tile.depth + s)) : tested;
    };
    Mask pass;
    if (draw.bits & kDrawStencil) {
      const StencilTest stencil(w, draw, p.tile.stencil + s, m);
      pass = passes_depth(stencil.passed);
      stencil.write(w, draw, p.tile.stencil + s, pass, m);
    } else {
      pass = passes_depth(m);
    }
    if (!w.any(pass)) continue;
    if (draw.bits & kDrawDepthWrite) {
      w.store(p.tile.depth + s, in.z, pass);
      if (t.depth_id) w.store(t.depth_id + memory + s, tri.primitive, pass);
    }
    if (draw.color_mask == 0) continue;
    if (!discards) {
      f = shade(w, p.shading, in, true);
      counts.shaded += uint64_t(w.count(pass));
    }
    write_color(w, p, draw, s, {f.color.x, f.color.y, f.color.z, f.color.w}, pass);
    if (t.visible_id) w.store(t.visible_id + memory + s, tri.primitive, pass);
  }
  p.counts += counts;
}

BROKKR_MACHINE_END
