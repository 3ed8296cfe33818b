// An ordered phase of one rasterizer: elements below the watermark, sorted into submission order, tile by tile.
#pragma once

#include "geometry/counters.h"
#include "raster/pending.h"
#include "raster/raster_shared.h"

BROKKR_MACHINE_BEGIN

// Sorts n keys (bitonic, padded to a power of two with the largest key) with all warps of the block.
template <class Shared>
BROKKR_FN_NOINLINE void sort_keys(Block<Shared>& b, uint64_t* keys, int n) {
  Warp& w = b.warp;
  const int share = w.index * w.width, step = b.warps * w.width;
  // Mostly one producer at a time: the keys often stand in order already.
  Mask wrong = false;
  for (int i = share; i + 1 < n; i += step) {
    const Mask m = w.first_lanes(n - 1 - i);
    wrong = wrong || (w.load(keys + i, m) > w.load(keys + i + 1, m, ~uint64_t(0)));
  }
  RasterShared& shared = b.shared->raster;
  if (b.leader()) w.once([&] { shared.flag = 0; });
  b.sync();
  if (w.any(wrong)) w.once([&] { block_atomic<uint32_t>(shared.flag).store(1, kRelaxed); });
  b.sync();
  if (shared.flag == 0) return;
  int padded = 1;
  while (padded < n) padded *= 2;
  for (int i = n + share; i < padded; i += step) w.store(keys + i, ~uint64_t(0), w.first_lanes(padded - i));
  b.sync();
  for (int size = 2; size <= padded; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      for (int i = share; i < padded / 2; i += step) {
        const Mask m = w.first_lanes(padded / 2 - i);
        const Int pair = w.lane() + i;
        const Int low = ((pair & ~(stride - 1)) << 1) | (pair & (stride - 1));
        const Int high = low | stride;
        const Ulong a = w.gather(keys, low, m), c = w.gather(keys, high, m);
        const Mask up = (low & size) == 0;
        const Mask swap = m && ((up && a > c) || (!up && a < c));
        w.scatter(keys, low, c, swap);
        w.scatter(keys, high, a, swap);
      }
      b.sync();
    }
  }
}

// Draws the listed triangles into the region's tiles, each tile by one warp.
template <class Shared>
BROKKR_FN_NOINLINE void draw_list(Block<Shared>& b, const RasterTables& t, const RegionRecord& region,
                                  ShadeContext& shade_context, TileCounts& counts) {
  Warp& w = b.warp;
  RasterShared& shared = b.shared->raster;
  TileBuffer& buffer = shared.tile[w.index];
  const bool half = t.targets.targets[region.target].format == uint32_t(ColorFormat::rgba16f);
  const int tiles_across = t.targets.region >> 3, tiles = tiles_across * tiles_across, listed = shared.list.count;
  const size_t base = size_t(region.number) * size_t(t.targets.region * t.targets.region);
  const RegionState state = t.targets.region_state[region.number];
  // Each warp prepares its share of the list.
  for (int i = w.index; i < listed; i += b.warps) {
    const uint32_t entry = shared.list.record[i];
    const RegionTriangle tri = region_triangle(t.blocks[entry >> 5], int(entry & 31u), region.x, region.y);
    const TileMasks masks = tile_masks(w, tri, t.targets.region_shift, [](LaneTiles&) {});
    w.once([&] {
      shared.list.triangle[i] = tri;
      for (int half_map = 0; half_map < 2; ++half_map) {
        shared.list.touched[half_map][i] = uint32_t(masks.touched >> (32 * half_map));
        shared.list.covered[half_map][i] = uint32_t(masks.covered >> (32 * half_map));
      }
    });
  }
  b.sync();
  for (int tile = w.index; tile < tiles; tile += b.warps) {
    const int tx = tile & (tiles_across - 1), ty = tile / tiles_across;
    const size_t memory = base + size_t(tile) * kTileSamples;
    const uint32_t bit = 1u << ((ty * 8 + tx) & 31);
    const uint32_t* touched = shared.list.touched[(ty * 8 + tx) >> 5];
    const uint32_t* covered = shared.list.covered[(ty * 8 + tx) >> 5];
    bool loaded = false;
    for (int g = 0; g < listed; g += w.width) {
      const Mask m = w.first_lanes(listed - g);
      const Mask hit = (w.load(touched + g, m) & bit) != 0;
      for (uint32_t bits = w.ballot(hit); bits != 0; bits &= bits - 1) {
        const int i = g + lowest_bit(bits);
        if (!loaded) load_tile(w, t.targets, state, memory, half, buffer);
        loaded = true;
        draw_in_tile(w, t.targets, region, t.frame.draws[t.blocks[shared.list.record[i] >> 5].draw],
                     shared.list.triangle[i], (covered[i] & bit) != 0, tx * kTile, ty * kTile, memory, shade_context,
                     buffer, counts);
      }
    }
    if (loaded) store_tile(w, t.targets, memory, half, buffer);
  }
}

// Draws the pending elements of the phase whose task lies below the watermark.
template <class Shared>
BROKKR_FN_NOINLINE void run_ordered(Block<Shared>& b, const RasterTables& t, uint32_t r, uint32_t phase,
                                    uint32_t before_task, ShadeContext& shade_context, Counters& counters) {
  Warp& w = b.warp;
  RasterShared& shared = b.shared->raster;
  const int count = int(t.rasterizers[r].pending);
  uint64_t* keys = t.sort_scratch + size_t(b.index) * t.sort_capacity;
  b.sync();
  if (b.leader()) {
    int eligible = 0;
    for (int at = 0; at < count; at += w.width) {
      const PendingGroup group(w, t, r, at, count);
      const Uint task = group.header(w, t, kWordTask);
      const Mask m = group.valid && group.header(w, t, kWordPhase) == phase && task < before_task;
      // task | sequence within it | where the element stands
      const Ulong key =
          (Ulong(task) << 32) | (Ulong(group.header(w, t, kWordSequence)) << 22) | Ulong(as_uint(w.lane() + at));
      eligible += w.compress_store(keys + eligible, key, m);
    }
    w.once([&] { shared.eligible = uint32_t(eligible); });
  }
  b.sync();
  const int eligible = int(shared.eligible);
  if (eligible == 0) return;
  sort_keys(b, keys, eligible);

  const size_t base = size_t(r) * t.store_blocks;
  const int edge = t.targets.region;
  const int share = w.index * w.width, step = b.warps * w.width;
  TileCounts counts;
  for (uint32_t i = t.targets.first_own_region[r]; i < t.targets.first_own_region[r + 1]; ++i) {
    const RegionRecord& region = t.targets.own_regions[i];
    if (!region_is_touched(b, t, r, phase, region)) continue;
    if (is_stopped(b, t)) break;
    RegionState& state = t.targets.region_state[region.number];
    materialize_clears(w, t.targets, region, state.bits, share, step);
    b.sync();
    if (b.leader()) w.once([&] { state.bits &= ~uint32_t(kClearColor | kClearDepth | kClearStencil); });
    const uint64_t before = counts.fragments;
    for (int next = 0; next < eligible;) {
      b.sync();
      // The leader lists triangles that touch the region, in order, until the list is full.
      if (b.leader()) {
        int listed = 0, k = next > 0 && is_stopped(w, t) ? eligible : next;
        for (; k < eligible && listed + kBlockRecords <= kListCapacity; ++k) {
          const uint32_t at = uint32_t(keys[k] & 0x3fffffu);
          const uint32_t number = t.pending_block[base + at], mask = t.pending_mask[base + at];
          const TriangleBlock& block = t.blocks[number];
          if (block.target != region.target || block.layer != region.layer || block.min_x >= region.x + edge ||
              block.min_y >= region.y + edge || block.max_x < region.x || block.max_y < region.y) {
            continue;
          }
          for (int g = 0; g < kBlockRecords; g += w.width) {
            const Mask m = w.lanes_of(w.width == 32 ? mask : (mask >> g) & ((1u << (w.width & 31)) - 1u));
            const Uint lo = w.load(block.field[kMin] + g, m), hi = w.load(block.field[kMax] + g, m);
            const Mask here = m && as_int(lo & 0xffff) < region.x + edge && as_int(lo >> 16) < region.y + edge &&
                              as_int(hi & 0xffff) >= region.x && as_int(hi >> 16) >= region.y;
            listed += w.compress_store(shared.list.record + listed, number * 32 + as_uint(w.lane() + g), here);
          }
        }
        w.once([&] {
          shared.list.count = listed;
          shared.flag = uint32_t(k);
        });
      }
      b.sync();
      next = int(shared.flag);
      draw_list(b, t, region, shade_context, counts);
    }
    b.sync();
    const uint64_t covered = counts.fragments - before;
    w.once([&] {
      device_atomic<uint64_t>(t.region_fragments[region.number]).fetch_add(covered, kRelaxed);
      device_atomic<uint64_t>(t.rasterizers[r].fragments).fetch_add(covered, kRelaxed);
    });
  }
  counters.add(w, Counter::fragments, counts.fragments);
  counters.add(w, Counter::fragments_shaded, counts.shaded);
  counters.add(w, Counter::quads, counts.quads);
}

BROKKR_MACHINE_END
