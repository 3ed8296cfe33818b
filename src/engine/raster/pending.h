// The pending elements of a rasterizer. It has taken them from its queue, and they wait for their phase or for the
// watermark.
#pragma once

#include <cstddef>

#include "geometry/records.h"
#include "queue/broker_queue.h"
#include "raster/raster_tables.h"
#include "raster/region.h"
#include "schedule/stock.h"

BROKKR_MACHINE_BEGIN

// The header words of a TriangleBlock, for gathers.
enum class BlockWord : size_t {
  target = offsetof(TriangleBlock, target) / 4,
  layer = offsetof(TriangleBlock, layer) / 4,
  phase = offsetof(TriangleBlock, phase) / 4,
  task = offsetof(TriangleBlock, task) / 4,
  sequence = offsetof(TriangleBlock, sequence) / 4,
  min_x = offsetof(TriangleBlock, box.min_x) / 4,
  min_y = offsetof(TriangleBlock, box.min_y) / 4,
  max_x = offsetof(TriangleBlock, box.max_x) / 4,
  max_y = offsetof(TriangleBlock, box.max_y) / 4,
};
BROKKR_CONSTANT int kBlockWords = int(sizeof(TriangleBlock) / 4);
static_assert(sizeof(TriangleBlock) % 4 == 0);

// Pending elements first .. first + width - 1 of a rasterizer.
struct PendingGroup {
  Mask valid;
  Uint block, mask;
  Int word;  // index of its block's header, in words

  BROKKR_FN PendingGroup(Warp& w, const RasterTables& t, uint32_t r, int first, int count) {
    const size_t base = size_t(r) * t.store_blocks + size_t(first);
    valid = w.first_lanes(count - first);
    block = w.load(t.pending_block + base, valid);
    mask = w.load(t.pending_mask + base, valid);
    word = as_int(block) * kBlockWords;
  }
  BROKKR_FN Uint header(Warp& w, const RasterTables& t, BlockWord which) const {
    return w.gather(reinterpret_cast<const uint32_t*>(t.blocks.get()) + size_t(which), word, valid);
  }
  BROKKR_FN Box<Int> box(Warp& w, const RasterTables& t) const {
    return {as_int(header(w, t, BlockWord::min_x)), as_int(header(w, t, BlockWord::min_y)),
            as_int(header(w, t, BlockWord::max_x)), as_int(header(w, t, BlockWord::max_y))};
  }
  // Lanes whose element belongs to the phase and may touch the region.
  BROKKR_FN Mask touching(Warp& w, const RasterTables& t, uint32_t phase, const RegionRecord& region) const {
    const Mask m = valid && header(w, t, BlockWord::phase) == phase &&
                   header(w, t, BlockWord::target) == region.target && header(w, t, BlockWord::layer) == region.layer;
    if (!w.any(m)) return m;
    return m && meet(box(w, t), region_box(region, t.targets.region));
  }
};

// Moves everything from the rasterizer's queue to its pending list. Called by one warp.
BROKKR_FN void drain_queue(Warp& w, const RasterTables& t, uint32_t r) {
  BrokerQueues<2> queues(t.queues);
  RasterizerState& state = t.rasterizers[r];
  uint32_t count = state.pending;
  const size_t base = size_t(r) * t.store_blocks;
  for (;;) {
    Uint element[2];
    const int n = queues.dequeue(w, int(r), element, w.width);
    if (n == 0) break;
    w.store(t.pending_block + base + count, element[0], w.first_lanes(n));
    w.store(t.pending_mask + base + count, element[1], w.first_lanes(n));
    count += uint32_t(n);
  }
  w.sync();
  w.once([&] { state.pending = count; });
}

// Removes the elements of `phase` with tasks below `before_task`. When no rasterizer needs a block any more, it goes to
// the stock. Called by one warp. Returns the smallest task among the phase's remaining elements, or kAllTasks.
BROKKR_FN uint32_t retire(Warp& w, const RasterTables& t, Stock& stock, uint32_t r, uint32_t phase,
                          uint32_t before_task) {
  RasterizerState& state = t.rasterizers[r];
  const int count = int(state.pending);
  const size_t base = size_t(r) * t.store_blocks;
  int kept = 0;
  uint32_t next_task = kAllTasks;
  for (int first = 0; first < count; first += w.width) {
    const PendingGroup group(w, t, r, first, count);
    const Mask of_phase = group.valid && group.header(w, t, BlockWord::phase) == phase;
    const Uint task = group.header(w, t, BlockWord::task);
    const Mask done = of_phase && task < before_task;
    const Mask stay = group.valid && !done;
    if (w.any(of_phase && !done)) {
      const uint32_t first_task = w.reduce_min(select(of_phase && !done, task, kAllTasks));
      next_task = first_task < next_task ? first_task : next_task;
    }
    if (w.any(done)) {
      auto left = w.spill(1u);
      const auto block_of = w.spill(group.block);
      w.for_lanes(done, [&](int i) {
        left.set(i, device_atomic<uint32_t>(t.blocks[block_of[i]].references).fetch_sub(1, kAcqRel) - 1);
      });
      stock.put(w, group.block, done && left.lanes() == 0);
    }
    w.sync();
    const int n = w.compress_store(t.pending_block + base + size_t(kept), group.block, stay);
    w.compress_store(t.pending_mask + base + size_t(kept), group.mask, stay);
    kept += n;
    w.sync();
  }
  // If no element was removed, the word must not be written: no barrier has synchronized lanes and other warps, which
  // may still read it.
  if (kept != count) w.once([&] { state.pending = uint32_t(kept); });
  return next_task;
}

BROKKR_MACHINE_END
