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

// Blends a colour over samples s .. s + width - 1 of the tile.
BROKKR_FN void write_color(Warp& w, const TilePass& pass, const DrawRecord& draw, int s, Color color, Mask m) {
  const uint32_t format = uint32_t(pass.format);
  TileBuffer& tile = pass.tile;
  if (draw.bits & kDrawSeeThrough) color.a = color.a * 0.4f;
  const Uint old_low = w.load(tile.color + s), old_high = pass.half() ? w.load(tile.color_high + s) : 0u;
  if (draw.bits & kDrawBlend) {
    color = blend(draw.blend_color, draw.blend_alpha, draw.blend_constant, format, color,
                  load_color(format, old_low, old_high));
  }
  const Stored stored = store_color(format, color);
  if (pass.half()) {
    const uint32_t low = (draw.color_mask & 1 ? 0xffffu : 0u) | (draw.color_mask & 2 ? 0xffff0000u : 0u);
    const uint32_t high = (draw.color_mask & 4 ? 0xffffu : 0u) | (draw.color_mask & 8 ? 0xffff0000u : 0u);
    w.store(tile.color + s, (stored.low & low) | (old_low & ~low), m);
    w.store(tile.color_high + s, (stored.high & high) | (old_high & ~high), m);
  } else {
    const uint32_t low = bytes_of_channels(draw.color_mask);
    w.store(tile.color + s, (stored.low & low) | (old_low & ~low), m);
  }
}

// Coverage, tests, shading and blending of one triangle in one tile.
BROKKR_FN_NOINLINE void draw_in_tile(Warp& w, const TilePass& pass, const DrawRecord& draw, const RegionTriangle& tri,
                                     bool whole) {
  const TargetTables& planes = pass.planes;
  const size_t memory = pass.memory;
  TileCounts counts;
  const MaterialRecord* material = draw.bits & kDrawMaterial ? pass.shading.frame->materials + draw.material : nullptr;
  const bool discards = material && (material->alpha_cutoff > 0.0f || (draw.bits & kDrawAlphaTest)) &&
                        shows_materials(pass.shading.shading);
  const TileEdges edges(w, tri, pass.x0, pass.y0);
  const Int lane_x = tile_x(w.lane()), lane_y = tile_y(w.lane());
  for (int s = 0; s < kTileSamples; s += w.width) {
    Mask m = whole ? true : edges.inside(s);
    const uint32_t covered = w.ballot(m);
    if (covered == 0) continue;
    counts.fragments += uint64_t(count_bits(covered));
    counts.quads += uint64_t(count_bits((covered | covered >> 1 | covered >> 2 | covered >> 3) & 0x11111111u));
    if (planes.overdraw) w.store(planes.overdraw + memory + s, w.load(planes.overdraw + memory + s) + 1, m);
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
    const auto passes_depth = [&](Mask tested) {
      return draw.bits & kDrawDepthTest ? tested && compare(draw.depth_func, in.z, w.load(pass.tile.depth + s))
                                        : tested;
    };
    Mask visible;
    if (draw.bits & kDrawStencil) {
      const StencilTest stencil(w, draw, pass.tile.stencil + s, m);
      visible = passes_depth(stencil.passed);
      stencil.write(w, draw, pass.tile.stencil + s, visible, m);
    } else {
      visible = passes_depth(m);
    }
    if (!w.any(visible)) continue;
    if (draw.bits & kDrawDepthWrite) {
      w.store(pass.tile.depth + s, in.z, visible);
      if (planes.depth_id) w.store(planes.depth_id + memory + s, tri.primitive, visible);
    }
    if (draw.color_mask == 0) continue;
    if (!discards) {
      fragment = shade(w, pass.shading, in, true);
      counts.shaded += uint64_t(w.count(visible));
    }
    write_color(w, pass, draw, s, color_of(fragment), visible);
    if (planes.visible_id) w.store(planes.visible_id + memory + s, tri.primitive, visible);
  }
  pass.counts += counts;
}

BROKKR_MACHINE_END
