// Sort-middle distribution: finds the rasterizers that own a bin which a triangle of a block touches. Each of them gets
// one queue element: the block, and the mask of its triangles there.
#pragma once

#include "geometry/counters.h"
#include "geometry/triangle_store.h"
#include "machine/machine.h"
#include "queue/broker_queue.h"
#include "target/target_tables.h"

BROKKR_MACHINE_BEGIN

// Scratch memory of one warp: a mask per rasterizer, all zero between blocks, and the list of rasterizers whose mask is
// not zero.
struct DistributionScratch {
  uint32_t* mask;     // rasterizers
  uint32_t* touched;  // rasterizers + one warp
};

// Edge functions of a lane's triangle, for conservative tests of rectangles. Exact in doubles.
struct LaneEdges {
  Double a[3], b[3], x[3], y[3];
};

BROKKR_FN LaneEdges lane_edges(Warp& w, const TriangleBlock& block, int g, Mask m) {
  LaneEdges e;
  for (int i = 0; i < 3; ++i) {
    e.x[i] = to_double(as_int(w.load(block.field[kX0 + 2 * i] + g, m)));
    e.y[i] = to_double(as_int(w.load(block.field[kY0 + 2 * i] + g, m)));
  }
  for (int i = 0; i < 3; ++i) {
    const int j = i == 2 ? 0 : i + 1;
    e.a[i] = e.y[i] - e.y[j];
    e.b[i] = e.x[j] - e.x[i];
  }
  return e;
}

// Whether some sample of x0 .. x1, y0 .. y1 (inclusive) may lie inside.
BROKKR_FN Mask may_touch(const LaneEdges& e, Int x0, Int y0, Int x1, Int y1) {
  const Double left = to_double((x0 << 8) + 128), right = to_double((x1 << 8) + 128);
  const Double bottom = to_double((y0 << 8) + 128), top = to_double((y1 << 8) + 128);
  Mask touch = true;
  for (int i = 0; i < 3; ++i) {
    const Double px = select(e.a[i] > 0.0, right, left) - e.x[i];
    const Double py = select(e.b[i] > 0.0, top, bottom) - e.y[i];
    touch = touch && e.a[i] * px + e.b[i] * py >= 0.0;
  }
  return touch;
}

// Sends `block` to its rasterizers. Returns false if no rasterizer needs it.
BROKKR_FN_NOINLINE bool distribute(Warp& w, TriangleBlock& block, uint32_t block_number, const TargetTables& targets,
                                   BrokerQueues<2>& queues, const DistributionScratch& scratch, Counters& counters) {
  const TargetRecord& target = targets.targets[block.target];
  const uint32_t* owner_of = targets.bin_owner + target.first_bin;
  const int rasterizers = int(targets.rasterizers), shift = targets.bin_shift, bin = 1 << shift;
  const int offset = int(layer_offset(block.target, block.layer, targets.rasterizers));
  const int count = int(block.count);
  int touched = 0, bin_pairs = 0;
  int box[4] = {1 << 30, 1 << 30, -1, -1};

  for (int g = 0; g < count; g += w.width) {
    const Mask m = w.first_lanes(count - g);
    const Uint lo = w.load(block.field[kMin] + g, m), hi = w.load(block.field[kMax] + g, m);
    const Int min_x = as_int(lo & 0xffff), min_y = as_int(lo >> 16);
    const Int max_x = as_int(hi & 0xffff), max_y = as_int(hi >> 16);
    const int bx0 = w.reduce_min(select(m, min_x, 1 << 30)), by0 = w.reduce_min(select(m, min_y, 1 << 30));
    const int bx1 = w.reduce_max(select(m, max_x, -1)), by1 = w.reduce_max(select(m, max_y, -1));
    box[0] = bx0 < box[0] ? bx0 : box[0];
    box[1] = by0 < box[1] ? by0 : box[1];
    box[2] = bx1 > box[2] ? bx1 : box[2];
    box[3] = by1 > box[3] ? by1 : box[3];

    const Int bin_x0 = min_x >> shift, bin_y0 = min_y >> shift;
    const Int wide = (max_x >> shift) - bin_x0, high = (max_y >> shift) - bin_y0;
    const int columns = w.reduce_max(select(m, wide, 0)) + 1, rows = w.reduce_max(select(m, high, 0)) + 1;
    const bool test = columns > 1 && rows > 1;
    LaneEdges edges;
    if (test) edges = lane_edges(w, block, g, m);
    const Uint bit = 1 << as_uint(w.lane() + g);
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        Mask here = m && column <= wide && row <= high;
        const Int x = bin_x0 + column, y = bin_y0 + row;
        if (test) {
          const Int x0 = x << shift, y0 = y << shift;
          here = here && may_touch(edges, maximum(x0, min_x), maximum(y0, min_y), minimum(x0 + (bin - 1), max_x),
                                   minimum(y0 + (bin - 1), max_y));
        }
        if (!w.any(here)) continue;
        bin_pairs += w.count(here);
        Int r = as_int(w.gather(owner_of, y * int(target.bins_x) + x, here)) + offset;
        r = select(r >= rasterizers, r - rasterizers, r);
        const Uint before = w.scatter_fetch_or(scratch.mask, r, bit, here);
        touched += w.compress_store(scratch.touched + touched, as_uint(r), here && before == 0);
      }
    }
  }
  w.sync();
  counters.add(w, Counter::bin_pairs, uint64_t(bin_pairs));
  if (touched == 0) return false;
  w.once([&] {
    block.min_x = box[0];
    block.min_y = box[1];
    block.max_x = box[2];
    block.max_y = box[3];
    device_atomic<uint32_t>(block.references).store(uint32_t(touched), kRelease);
  });
  int pairs = 0;
  for (int g = 0; g < touched; g += w.width) {
    const Mask m = w.first_lanes(touched - g);
    const Int r = as_int(w.load(scratch.touched + g, m));
    const Uint element[2] = {Uint(block_number), w.gather(scratch.mask, r, m)};
    w.scatter(scratch.mask, r, 0, m);
    auto bits = w.spill(element[1]);
    w.for_lanes(m, [&](int i) { bits.set(i, uint32_t(count_bits(bits[i]))); });
    pairs += int(w.reduce_add(select(m, bits.lanes(), 0)));
    queues.scatter_enqueue(w, r, element, m);
  }
  w.sync();
  counters.add(w, Counter::rasterizer_pairs, uint64_t(pairs));
  counters.add(w, Counter::queue_elements, uint64_t(touched));
  return true;
}

BROKKR_MACHINE_END
