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
};

BROKKR_FN void load_tile(Warp& w, const TargetTables& t, const RegionState& state, size_t memory, bool half,
                         TileBuffer& tile) {
  for (int s = 0; s < kTileSamples; s += w.width) {
    w.store(tile.color + s, state.bits & kClearColor ? Uint(uint32_t(state.color)) : w.load(t.color + memory + s));
    if (half) {
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

BROKKR_FN void store_tile(Warp& w, const TargetTables& t, size_t memory, bool half, const TileBuffer& tile) {
  w.sync();
  for (int s = 0; s < kTileSamples; s += w.width) {
    w.store(t.color + memory + s, w.load(tile.color + s));
    if (half) w.store(t.color_high + memory + s, w.load(tile.color_high + s));
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

// Coverage, tests, shading and blending of one triangle in one tile. (x0, y0): the tile's first sample in its region.
BROKKR_FN_NOINLINE void draw_in_tile(Warp& w, const TargetTables& t, const RegionRecord& region, const DrawRecord& draw,
                                     const RegionTriangle& tri, bool whole, int x0, int y0, size_t memory,
                                     ShadeContext& context, TileBuffer& tile, TileCounts& counts) {
  const uint32_t format = t.targets[region.target].format;
  const bool half = format == uint32_t(ColorFormat::rgba16f);
  const MaterialRecord* material = draw.bits & kDrawMaterial ? context.frame->materials + draw.material : nullptr;
  const bool discards =
      material && (material->alpha_cutoff > 0.0f || (draw.bits & kDrawAlphaTest)) && shows_materials(context.shading);
  const uint32_t write_mask = bytes_of_channels(draw.color_mask);
  const TileEdges edges(w, tri, x0, y0);
  const Int lane_x = tile_x(w.lane()), lane_y = tile_y(w.lane());
  for (int s = 0; s < kTileSamples; s += w.width) {
    Mask m = whole ? Mask(true) : edges.inside(s);
    const uint32_t covered = w.ballot(m);
    if (covered == 0) continue;
    counts.fragments += uint64_t(count_bits(covered));
    counts.quads += uint64_t(count_bits((covered | covered >> 1 | covered >> 2 | covered >> 3) & 0x11111111u));
    if (t.overdraw) {
      w.store(t.overdraw + memory + s, w.load(t.overdraw + memory + s) + 1, m);
    }
    const Float z = edges.depth(s);
    Samples in;
    in.x = to_float(lane_x + (tile_x(s) + x0 + region.x)) + 0.5f;
    in.y = to_float(lane_y + (tile_y(s) + y0 + region.y)) + 0.5f;
    in.z = z;
    in.primitive = Uint(tri.primitive);
    Fragment<Warp> f;
    if (discards) {
      f = shade(w, context, in, Mask(true));
      counts.shaded += uint64_t(count_bits(covered));
      m = m && f.keep;
      if (draw.bits & kDrawAlphaTest) m = m && compare(draw.alpha_func, f.color.w, Float(draw.alpha_ref));
    }
    Mask pass = m;
    Uint stencil(0u);
    if (draw.bits & kDrawStencil) {
      stencil = w.load(tile.stencil + s);
      pass = m && compare(draw.stencil_func, Uint(uint32_t(draw.stencil_ref & draw.stencil_mask)),
                          stencil & draw.stencil_mask);
    }
    const Mask tested = pass;
    if (draw.bits & kDrawDepthTest) pass = pass && compare(draw.depth_func, z, w.load(tile.depth + s));
    if (draw.bits & kDrawStencil) {
      const uint32_t ref = draw.stencil_ref;
      Uint next = select(tested, stencil_result(draw.stencil_ops[1], stencil, ref),
                         stencil_result(draw.stencil_ops[0], stencil, ref));
      next = select(pass, stencil_result(draw.stencil_ops[2], stencil, ref), next);
      const Uint writable(uint32_t(draw.stencil_write_mask));
      w.store(tile.stencil + s, (next & writable) | (stencil & ~writable), m);
    }
    if (!w.any(pass)) continue;
    if (draw.bits & kDrawDepthWrite) {
      w.store(tile.depth + s, z, pass);
      if (t.depth_id) w.store(t.depth_id + memory + s, tri.primitive, pass);
    }
    if (draw.color_mask == 0) continue;
    if (!discards) {
      f = shade(w, context, in, Mask(true));
      counts.shaded += uint64_t(w.count(pass));
    }
    Color color{f.color.x, f.color.y, f.color.z, f.color.w};
    if (draw.bits & kDrawSeeThrough) color.a = color.a * 0.4f;
    const Uint old_low = w.load(tile.color + s), old_high = half ? w.load(tile.color_high + s) : Uint(0u);
    if (draw.bits & kDrawBlend) {
      color = blend(draw.blend_color, draw.blend_alpha, draw.blend_constant, format, color,
                    load_color(format, old_low, old_high));
    }
    const Stored c = store_color(format, color);
    if (half) {
      const uint32_t low = (draw.color_mask & 1 ? 0xffffu : 0u) | (draw.color_mask & 2 ? 0xffff0000u : 0u);
      const uint32_t high = (draw.color_mask & 4 ? 0xffffu : 0u) | (draw.color_mask & 8 ? 0xffff0000u : 0u);
      w.store(tile.color + s, (c.low & low) | (old_low & ~low), pass);
      w.store(tile.color_high + s, (c.high & high) | (old_high & ~high), pass);
    } else {
      w.store(tile.color + s, (c.low & write_mask) | (old_low & ~write_mask), pass);
    }
    if (t.visible_id) w.store(t.visible_id + memory + s, tri.primitive, pass);
  }
}

BROKKR_MACHINE_END
