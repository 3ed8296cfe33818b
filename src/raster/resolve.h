// The end of an order-free phase in a region: every sample that a primitive of the phase won is shaded once and written
// out.
#pragma once

#include "raster/region.h"
#include "raster/shade.h"
#include "target/pixel.h"

BROKKR_MACHINE_BEGIN

// Lanes hold samples in Morton order. For shaders that need quads, each pass takes one primitive per quad: its samples
// and, as helpers, the rest of the quad.
BROKKR_FN Uint primitive_of_quads(Warp& w, Uint primitive, Mask todo) {
  Int first = select(todo, w.lane(), 1 << 20);
  first = minimum(first, w.shuffle(first, w.lane() ^ 1));
  first = minimum(first, w.shuffle(first, w.lane() ^ 2));
  return w.shuffle(primitive, select(first < w.width, first, w.lane()));
}

// The warp's share of the region's tiles: first_tile, first_tile + step, ...
BROKKR_FN_NOINLINE int resolve_region(Warp& w, const TargetTables& t, const RegionRecord& region, uint8_t key_bits,
                                      bool quads, ShadeContext& context, const RegionKeys& keys, int first_tile,
                                      int step) {
  const TargetRecord& target = t.targets[region.target];
  const RegionState state = t.region_state[region.number];
  const int samples = t.region * t.region, tiles_shift = t.region_shift - 3;
  const size_t base = size_t(region.number) * size_t(samples);
  const Uint nothing(nothing_new(key_bits));
  const bool fresh = (state.bits & kClearColor) != 0, half = target.format == uint32_t(ColorFormat::rgba16f);
  const bool writes_color = !(key_bits & kKeyDepthOnly);
  int shaded = 0;
  for (int tile = first_tile; tile * kTileSamples < samples; tile += step) {
    const int tile_x0 = region.x + ((tile & ((1 << tiles_shift) - 1)) * kTile),
              tile_y0 = region.y + (tile >> tiles_shift) * kTile;
    for (int s = 0; s < kTileSamples; s += w.width) {
      const int at = tile * kTileSamples + s;
      const size_t memory = base + size_t(at);
      const Uint order = keys.order(w, at);
      const Mask won = order != nothing;
      const bool some = w.any(won);
      Uint low(uint32_t(state.color)), high(uint32_t(state.color >> 32));
      if (some && writes_color) {
        const Int i = w.lane() + s;
        Samples in;
        in.x = to_float(tile_x(i) + tile_x0) + 0.5f;
        in.y = to_float(tile_y(i) + tile_y0) + 0.5f;
        in.z = depth_of_key(keys.depth(w, at), key_bits);
        const Uint primitive = primitive_of_order(order, key_bits);
        Mask todo = won;
        while (w.any(todo)) {
          in.primitive = quads ? primitive_of_quads(w, primitive, todo) : primitive;
          const Mask now = quads ? todo && in.primitive == primitive : todo;
          Mask active = now;
          if (quads) {
            const Int four = select(now, 1, 0);
            const Int two = four | w.shuffle(four, w.lane() ^ 1);
            active = (two | w.shuffle(two, w.lane() ^ 2)) != 0;
          }
          const Fragment<Warp> f = shade(w, context, in, active);
          const Stored c = store_color(target.format, {f.color.x, f.color.y, f.color.z, f.color.w});
          low = select(now, c.low, low);
          high = select(now, c.high, high);
          todo = todo && !now;
        }
        shaded += w.count(won);
        if (t.visible_id) w.store(t.visible_id + memory, primitive, won);
      }
      if (some && t.depth_id) w.store(t.depth_id + memory, primitive_of_order(order, key_bits), won);
      if (writes_color && (fresh || some)) {
        const Mask write = fresh ? Mask(true) : won;
        w.store(t.color + memory, low, write);
        if (half) w.store(t.color_high + memory, high, write);
      }
      if (some || (state.bits & (kClearDepth))) w.store(t.depth + memory, depth_of_key(keys.depth(w, at), key_bits));
    }
  }
  return shaded;
}

BROKKR_MACHINE_END
