// Regions: where a sample lies in memory, and moving a region's planes to and from the block's key buffer.
#pragma once

#include "machine/machine.h"
#include "scene/frame_tables.h"
#include "target/target_tables.h"

BROKKR_MACHINE_BEGIN

// Coordinates inside an 8x8 tile of the sample at Morton position i = 0..63; of one sample or of a lane's.
template <class I>
BROKKR_FN I tile_x(I i) {
  return (i & 1) | ((i >> 1) & 2) | ((i >> 2) & 4);
}
template <class I>
BROKKR_FN I tile_y(I i) {
  return tile_x(i >> 1);
}

// Position within a region (edge 1 << shift) of the sample at x, y from its lower left corner.
BROKKR_FN Int region_sample(Int x, Int y, int shift) {
  const Int tile = ((y >> 3) << (shift - 3)) + (x >> 3);
  const Int mx = (x & 1) | ((x & 2) << 1) | ((x & 4) << 2);
  const Int my = (y & 1) | ((y & 2) << 1) | ((y & 4) << 2);
  return (tile << 6) | mx | (my << 1);
}

// Order keys: among equal depths the smaller wins. What was there before the phase holds the strongest key where a new
// fragment must be nearer to win, and the weakest where one of equal depth passes.
BROKKR_FN uint32_t nothing_new(uint8_t key_bits) { return key_bits & kKeyLastWins ? 0xffffffffu : 0u; }
BROKKR_FN Uint order_of_primitive(Uint primitive, uint8_t key_bits) {
  return key_bits & kKeyLastWins ? 0xfffffffeu - primitive : primitive + 1;
}
BROKKR_FN Uint primitive_of_order(Uint order, uint8_t key_bits) {
  return key_bits & kKeyLastWins ? 0xfffffffeu - order : order - 1;
}
// Depths are in [0, 1] and never -0: their bits order as they do.
BROKKR_FN Uint depth_key(Float z, uint8_t key_bits) { return key_bits & kKeyGreater ? ~as_uint(z) : as_uint(z); }
BROKKR_FN Float depth_of_key(Uint key, uint8_t key_bits) { return as_float(key_bits & kKeyGreater ? ~key : key); }

using RegionKeys = KeyBuffer<kMaxRegionSamples>;

// Fills the key buffer from memory or from the clear that waits. Samples from `first` on, in steps of `step`: a warp's
// share.
BROKKR_FN void load_keys(Warp& w, const TargetTables& t, const RegionRecord& region, uint8_t key_bits, int first,
                         int step, RegionKeys& keys) {
  const RegionState state = t.region_state[region.number];
  const int samples = t.region * t.region;
  const size_t base = size_t(region.number) * size_t(samples);
  const Uint nothing(nothing_new(key_bits)), cleared = depth_key(state.depth, key_bits);
  for (int s = first; s < samples; s += step) {
    const Uint depth = state.bits & kClearDepth ? cleared : depth_key(w.load(t.depth + base + size_t(s)), key_bits);
    const Uint order = state.bits & kKeysWaiting ? w.load(t.order + base + size_t(s)) : nothing;
    keys.set(w, s, depth, order);
  }
  for (int tile = first; tile < samples / kTileSamples; tile += step) {
    const Mask m = w.first_lanes(samples / kTileSamples - tile);
    keys.set_farthest(w, tile, state.bits & kClearDepth ? cleared : Uint(0xffffffffu), m);
  }
}

// Writes the key buffer to memory; the region waits for the rest of its phase.
BROKKR_FN void save_keys(Warp& w, const TargetTables& t, const RegionRecord& region, uint8_t key_bits, int first,
                         int step, const RegionKeys& keys) {
  const int samples = t.region * t.region;
  const size_t base = size_t(region.number) * size_t(samples);
  for (int s = first; s < samples; s += step) {
    w.store(t.depth + base + size_t(s), depth_of_key(keys.depth(w, s), key_bits));
    w.store(t.order + base + size_t(s), keys.order(w, s));
  }
}

// Makes memory hold the clears that wait. Samples outside of the target are cleared with the rest.
BROKKR_FN void materialize_clears(Warp& w, const TargetTables& t, const RegionRecord& region, uint32_t planes,
                                  int first, int step) {
  const RegionState state = t.region_state[region.number];
  planes &= state.bits;
  const int samples = t.region * t.region;
  const size_t base = size_t(region.number) * size_t(samples);
  for (int s = first; s < samples; s += step) {
    if (planes & kClearColor) {
      w.store(t.color + base + size_t(s), uint32_t(state.color));
      if (t.color_high) w.store(t.color_high + base + size_t(s), uint32_t(state.color >> 32));
    }
    if (planes & kClearDepth) w.store(t.depth + base + size_t(s), state.depth);
  }
  if (planes & kClearStencil) {
    // Stencil is a byte a sample; four at a time.
    uint32_t* words = reinterpret_cast<uint32_t*>(t.stencil + base);
    for (int s = first; s < samples; s += step) {
      w.store(words + s / 4, state.stencil * 0x01010101u, w.first_lanes((w.width + 3) / 4));
    }
  }
}

BROKKR_MACHINE_END
