// Regions: the indices of samples in memory, and the transfer of a region's planes to and from the block's key buffer.
#pragma once

#include "frame/frame_tables.h"
#include "geometry/triangle_store.h"
#include "machine/machine.h"
#include "target/target_tables.h"

BROKKR_MACHINE_BEGIN

// The coordinates of sample i = 0..63, a Morton index, in an 8x8 tile. i is uniform or per lane.
template <class I>
BROKKR_FN constexpr I tile_x(I i) {
  return (i & 1) | ((i >> 1) & 2) | ((i >> 2) & 4);
}
template <class I>
BROKKR_FN constexpr I tile_y(I i) {
  return tile_x(i >> 1);
}

// The index within a region (edge 1 << shift) of the sample at x, y from its lower left corner. It is the sum of a
// column's and a row's index.
template <class I>
BROKKR_FN I sample_column(I x) {
  return ((x >> 3) << 6) | (x & 1) | ((x & 2) << 1) | ((x & 4) << 2);
}
template <class I>
BROKKR_FN I sample_row(I y, int shift) {
  return ((y >> 3) << (shift + 3)) | ((y & 1) << 1) | ((y & 2) << 2) | ((y & 4) << 3);
}
BROKKR_FN Int region_sample(Int x, Int y, int shift) { return sample_column(x) + sample_row(y, shift); }

struct Position {
  Int x, y;
};

// The positions in the layer of samples s .. s + width - 1 of a region.
BROKKR_FN Position region_position(Warp& w, const TargetTables& planes, const RegionRecord& region, int s) {
  const Int sample = w.lane() + s;
  const Int tile = sample >> 6;
  const int tiles_shift = planes.region_shift - 3;
  return {tile_x(sample & 63) + ((tile & ((1 << tiles_shift) - 1)) << 3) + region.x,
          tile_y(sample & 63) + ((tile >> tiles_shift) << 3) + region.y};
}

// Order keys: among equal depths the smaller key wins. Content from before the phase gets the strongest key if a new
// fragment must be strictly nearer to win, and the weakest key if a fragment of equal depth wins.
BROKKR_FN uint32_t nothing_new(uint8_t key_bits) { return key_bits & kKeyLastWins ? 0xffffffffu : 0u; }
// Converts primitive ids to order keys and back, uniform or per lane.
template <class W>
BROKKR_FN W order_of_primitive(W primitive, uint8_t key_bits) {
  return key_bits & kKeyLastWins ? 0xfffffffeu - primitive : primitive + 1u;
}
BROKKR_FN Uint primitive_of_order(Uint order, uint8_t key_bits) {
  return key_bits & kKeyLastWins ? 0xfffffffeu - order : order - 1;
}
// Depths are in [0, 1] and never -0, so their bits sort in the same order.
BROKKR_FN Uint depth_key(Float z, uint8_t key_bits) { return key_bits & kKeyGreater ? ~as_uint(z) : as_uint(z); }
BROKKR_FN Float depth_of_key(Uint key, uint8_t key_bits) { return as_float(key_bits & kKeyGreater ? ~key : key); }

using RegionKeys = KeyBuffer<kMaxRegionSamples>;

// A warp's part of the work that all warps of a block share: item `first`, then every `step`-th item.
struct Share {
  int first, step;
};
// Shares of samples, one warp width at a time.
template <class Shared>
BROKKR_FN Share share_of_samples(const Block<Shared>& b) {
  return {b.warp.index * b.warp.width, b.warps * b.warp.width};
}

BROKKR_FN Box<int32_t> region_box(const RegionRecord& region, int edge) {
  return {region.x, region.y, region.x + edge - 1, region.y + edge - 1};
}

// The index of a region's first sample in the planes.
BROKKR_FN size_t first_sample(const TargetTables& planes, const RegionRecord& region) {
  return size_t(region.number) * size_t(planes.region * planes.region);
}

// One region of an order-free phase, as one warp sees it.
struct KeyPass {
  const TargetTables* planes;
  TablePointer<const RegionRecord> region;
  RegionKeys* keys;
  Share share;                // share of the region's samples
  int32_t x, y, edge, shift;  // first sample; edge in pixels, and its binary logarithm
  uint8_t key_bits;           // PhaseRecord::key_bits
  bool cull_hidden;           // RasterTables::cull_hidden

  BROKKR_FN Box<int32_t> box() const { return {x, y, x + edge - 1, y + edge - 1}; }
  BROKKR_FN int samples() const { return edge * edge; }
  BROKKR_FN size_t base() const { return first_sample(*planes, *region); }
};

// Fills the key buffer from memory or from the pending clear. Inside run_order_free, the loops of this function and the
// next one would compete for its registers, which would then spill.
BROKKR_FN_NOINLINE void load_keys(Warp& w, const KeyPass& pass) {
  const TargetTables& planes = *pass.planes;
  const RegionState state = planes.region_state[pass.region->number];
  const int samples = pass.samples(), tiles = samples / kTileSamples, step = pass.share.step;
  const size_t base = pass.base();
  const Uint nothing = nothing_new(pass.key_bits), cleared = depth_key(state.depth, pass.key_bits);
  RegionKeys& keys = *pass.keys;
  for (int s = pass.share.first; s < samples; s += step) {
    const Uint depth =
        state.bits & kClearDepth ? cleared : depth_key(w.load(planes.depth + base + size_t(s)), pass.key_bits);
    const Uint order = state.bits & kKeysWaiting ? w.load(planes.order + base + size_t(s)) : nothing;
    keys.set(w, s, depth, order);
  }
  for (int tile = pass.share.first; tile < tiles; tile += pass.share.step) {
    pass.keys->set_farthest(w, tile, state.bits & kClearDepth ? cleared : 0xffffffffu, w.first_lanes(tiles - tile));
  }
}

// Writes the key buffer to memory, where it stays until the region's phase continues.
BROKKR_FN_NOINLINE void save_keys(Warp& w, const KeyPass& pass) {
  const TargetTables& planes = *pass.planes;
  const size_t base = pass.base();
  for (int s = pass.share.first; s < pass.samples(); s += pass.share.step) {
    w.store(planes.depth + base + size_t(s), depth_of_key(pass.keys->depth(w, s), pass.key_bits));
    w.store(planes.order + base + size_t(s), pass.keys->order(w, s));
  }
}

// Samples base .. base + samples - 1 of the planes.
struct SampleRange {
  size_t base;
  int samples;
};
// Clears the planes `which` (RegionBit) of a range to the values in the region's state.
BROKKR_FN void clear_samples(Warp& w, const TargetTables& planes, const RegionState& state, uint32_t which,
                             SampleRange range, Share share) {
  const auto [base, samples] = range;
  for (int s = share.first; s < samples; s += share.step) {
    if (which & kClearColor) {
      w.store(planes.color + base + size_t(s), uint32_t(state.color));
      if (planes.color_high) w.store(planes.color_high + base + size_t(s), uint32_t(state.color >> 32));
    }
    if (which & kClearDepth) w.store(planes.depth + base + size_t(s), state.depth);
  }
  if (which & kClearStencil) {
    // Stencil has one byte per sample; four are written at a time.
    uint32_t* const stencils = reinterpret_cast<uint32_t*>(planes.stencil + base);
    const int words = samples / 4;
    for (int s = share.first; s < words; s += share.step) {
      if (words - s >= w.width)
        w.store(stencils + s, state.stencil * 0x01010101u);
      else
        w.store(stencils + s, state.stencil * 0x01010101u, w.first_lanes(words - s));
    }
  }
}

// Writes pending clears of the planes `which` to memory. Samples outside the target are cleared with the others, except
// whole rows of tiles above it, which nothing reads.
BROKKR_FN void materialize_clears(Warp& w, const TargetTables& planes, const RegionRecord& region, uint32_t which,
                                  Share share) {
  const RegionState state = planes.region_state[region.number];
  const int above = int(planes.targets[region.target].height) - region.y;
  const int rows = above < planes.region ? (above + kTile - 1) / kTile * kTile : planes.region;
  clear_samples(w, planes, state, which & state.bits, {first_sample(planes, region), rows * planes.region}, share);
}

BROKKR_MACHINE_END
