// Sort-middle distribution: finds the rasterizers that own a bin which a triangle of a block touches. Each of them gets
// one queue element, which contains the block and the mask of its triangles for this rasterizer.
#pragma once

#include "geometry/counters.h"
#include "geometry/records.h"
#include "schedule/rasterizer_bits.h"
#include "schedule/stock.h"
#include "target/samples.h"
#include "target/target_tables.h"

BROKKR_MACHINE_BEGIN

// The scratch memory of one warp: a mask per rasterizer, which is zero when a block's distribution begins, and the list
// of rasterizers whose mask is not zero.
struct DistributionScratch {
  uint32_t* mask;                  // one per rasterizer, or kNearMasks if `near`
  TablePointer<uint32_t> touched;  // one per rasterizer, plus one warp
  // True if masks lie in the block's shared storage. Other parts of geometry write there between two distributions, so
  // each distribution begins by clearing the masks. Otherwise, each distribution leaves them cleared.
  bool near;

  // Narrower warps belong to CPUs, whose caches are near.
  BROKKR_FN static bool may_be_near(uint32_t rasterizers) {
    return kWidth == 32 && rasterizers <= uint32_t(kNearMasks);
  }
};

// The minimum number of a row's bins between two reads of the abort word. At this distance, the reads cost nothing.
BROKKR_CONSTANT int kLongRow = 16;

// Edge functions of a lane's triangle, for conservative tests of rectangles. They are exact in doubles.
struct LaneEdges {
  Double a[3], b[3], x[3], y[3];
};

BROKKR_FN LaneEdges lane_edges(Warp& w, const RecordGroup& records) {
  LaneEdges edges;
  for (int i = 0; i < 3; ++i) {
    edges.x[i] = to_double(records.x(w, i));
    edges.y[i] = to_double(records.y(w, i));
  }
  edge_steps(edges.x, edges.y, edges.a, edges.b);
  return edges;
}

// Returns true if some sample of the box may lie inside. `reach`: sample_reach of the target.
BROKKR_FN Mask may_touch(const LaneEdges& edges, const Box<Int>& box, int reach) {
  const int first = 128 - reach, last = 128 + reach;
  const Double left = to_double((box.min_x << 8) + first), right = to_double((box.max_x << 8) + last);
  const Double bottom = to_double((box.min_y << 8) + first), top = to_double((box.max_y << 8) + last);
  Mask touch = true;
  for (int i = 0; i < 3; ++i) {
    const Double dx = select(edges.a[i] > 0.0, right, left) - edges.x[i];
    const Double dy = select(edges.b[i] > 0.0, top, bottom) - edges.y[i];
    touch = touch && edges.a[i] * dx + edges.b[i] * dy >= 0.0;
  }
  return touch;
}

// The tables that distribution works on. `abort`: a word that is not 0 after the frame was cut off (AbortLevel).
struct DistributionTables {
  TablePointer<TriangleBlock> blocks;
  const TargetTables& targets;
  const QueueMemory<2>& queues;
  const RasterizerBitTables& bits;
  uint32_t* abort;
};

// The source and destination of a geometry warp's blocks. Blocks come from the stock, which has enough for the
// decision's tasks, and go to the rasterizers' queues.
class Distributor {
 public:
  // `tasks`: the number of the decision's tasks.
  BROKKR_FN Distributor(const DistributionTables& tables, const Stock& stock, int tasks,
                        const DistributionScratch& scratch, Counters& counters)
      : blocks_(tables.blocks),
        targets_(tables.targets),
        stock_(stock),
        queues_(tables.queues),
        bits_(tables.bits),
        scratch_(scratch),
        counters_(counters),
        abort_(tables.abort),
        tasks_(tasks) {}

  BROKKR_FN uint32_t take_block(Warp& w) { return stock_.nth_of_task(w, w.index, tasks_, used_++); }
  // Sends the last block that was taken to the rasterizers that need it. If none needs it, it will be the next block to
  // be taken.
  BROKKR_FN_NOINLINE void distribute(Warp& w, uint32_t number) {
    if (scratch_.near) clear_masks(w);
    const int touched = mark_owners(w, blocks_[number]);
    if (touched == 0) {
      --used_;
    } else {
      send(w, number, touched);
    }
  }
  // The number of blocks that were sent.
  BROKKR_FN int used() const { return used_; }

 private:
  TablePointer<TriangleBlock> blocks_;
  const TargetTables& targets_;
  const Stock& stock_;
  BrokerQueues<2> queues_;
  const RasterizerBitTables& bits_;
  DistributionScratch scratch_;
  Counters& counters_;
  uint32_t* abort_;
  int tasks_, used_ = 0;

  // Returns true if the launch must end immediately.
  BROKKR_FN bool is_stopped(Warp& w) const {
    w.host_turn();
    return w.uniform([&] { return system_atomic<uint32_t>(*abort_).load(kRelaxed); }) >= kAbortLeave;
  }

  BROKKR_FN void clear_masks(Warp& w) const {
    uint32_t* const mask = in_shared_memory(scratch_.mask);
    for (int g = 0; g < kNearMasks; g += w.width) w.store(mask + g, 0);
    w.sync();
  }

  // Records in the scratch memory which triangles each rasterizer needs. Records in the block its box and the number of
  // these rasterizers, and returns that number.
  BROKKR_FN int mark_owners(Warp& w, TriangleBlock& block) {
    const int count = int(block.count);
    int touched = 0, bin_pairs = 0;
    Box<int32_t> around{1 << 30, 1 << 30, -1, -1};
    for (int g = 0; g < count; g += w.width) {
      const RecordGroup records{block, g, w.first_lanes(count - g)};
      const Box<Int> box = records.box(w);
      const int x0 = w.reduce_min(select(records.m, box.min_x, 1 << 30));
      const int y0 = w.reduce_min(select(records.m, box.min_y, 1 << 30));
      const int x1 = w.reduce_max(select(records.m, box.max_x, -1));
      const int y1 = w.reduce_max(select(records.m, box.max_y, -1));
      around = {x0 < around.min_x ? x0 : around.min_x, y0 < around.min_y ? y0 : around.min_y,
                x1 > around.max_x ? x1 : around.max_x, y1 > around.max_y ? y1 : around.max_y};
      bin_pairs += mark_group(w, records, box, touched);
    }
    w.sync();
    counters_.add(w, Counter::triangle_bin_pairs, uint64_t(bin_pairs));
    if (touched == 0) return 0;
    w.once([&] {
      block.box = around;
      device_atomic<uint32_t>(block.references).store(uint32_t(touched), kRelaxed);  // published with the element
    });
    return touched;
  }

  // Does the same for one group. Returns its number of pairs of a triangle and a bin.
  BROKKR_FN int mark_group(Warp& w, const RecordGroup& records, const Box<Int>& box, int& touched) {
    const TriangleBlock& block = records.block;
    const TargetTables& targets = *in_shared_memory(&targets_);
    const TargetRecord& target = targets.targets[block.target];
    const uint32_t* owner_of = targets.bin_owner + target.first_bin;
    const int rasterizers = int(targets.rasterizers), shift = targets.bin_shift, bin = 1 << shift;
    const int offset = int(layer_offset(block.target, block.layer, targets.rasterizers));
    const Mask m = records.m;
    const Int bin_x0 = box.min_x >> shift, bin_y0 = box.min_y >> shift;
    const Int wide = (box.max_x >> shift) - bin_x0, high = (box.max_y >> shift) - bin_y0;
    const int columns = w.reduce_max(select(m, wide, 0)) + 1, rows = w.reduce_max(select(m, high, 0)) + 1;
    // In a single row or column, a triangle touches every bin that its box touches.
    const bool test = columns > 1 && rows > 1;
    LaneEdges edges;
    if (test) edges = lane_edges(w, records);
    const int reach = int(sample_reach(target.samples));
    const Uint bit = 1 << as_uint(w.lane() + records.g);
    int bin_pairs = 0;
    for (int row = 0; row < rows; ++row) {
      // With small bins, a large target takes seconds. Nobody needs the bins any more.
      if (columns >= kLongRow && is_stopped(w)) break;
      for (int column = 0; column < columns; ++column) {
        Mask here = m && column <= wide && row <= high;
        const Int x = bin_x0 + column, y = bin_y0 + row;
        if (test) {
          const Int x0 = x << shift, y0 = y << shift;
          here = here && may_touch(edges,
                                   {maximum(x0, box.min_x), maximum(y0, box.min_y), minimum(x0 + (bin - 1), box.max_x),
                                    minimum(y0 + (bin - 1), box.max_y)},
                                   reach);
        }
        if (!w.any(here)) continue;
        bin_pairs += w.count(here);
        Int r = as_int(w.gather(owner_of, y * int(target.bins_x) + x, here)) + offset;
        r = select(r >= rasterizers, r - rasterizers, r);
        if constexpr (Warp::takes_turns) {  // neighbouring triangles mostly touch the same bin
          const uint32_t lanes = w.ballot(here);
          const int owner = w.broadcast(r, lowest_bit(lanes));
          if (!w.any(here && r != owner)) {
            uint32_t& mask = scratch_.mask[owner];
            if (mask == 0) scratch_.touched[touched++] = uint32_t(owner);
            mask |= lanes << records.g;
            continue;
          }
        }
        const Uint before = w.scatter_fetch_or(scratch_.mask, r, bit, here);
        touched += w.compress_store(scratch_.touched + touched, as_uint(r), here && before == 0);
      }
    }
    return bin_pairs;
  }

  // Sends one element to each rasterizer that was recorded.
  BROKKR_FN void send(Warp& w, uint32_t number, int touched) {
    int pairs = 0;
    for (int g = 0; g < touched; g += w.width) {
      const Mask m = w.first_lanes(touched - g);
      const Int r = as_int(w.load(scratch_.touched + g, m));
      const Uint element[2] = {number, w.gather(scratch_.mask, r, m)};
      w.scatter(scratch_.mask, r, 0, m);
      auto bits = w.spill(element[1]);
      w.for_lanes(m, [&](int i) { bits.set(i, uint32_t(count_bits(bits[i]))); });
      pairs += int(w.reduce_add(select(m, bits.lanes(), 0)));
      const RasterizerBits bits_of_all(*in_shared_memory(&bits_));
      queues_.scatter_enqueue(w, r, element, m, [&](int q) { bits_of_all.note_filled(uint32_t(q)); });
    }
    w.sync();
    counters_.add(w, Counter::triangle_rasterizer_pairs, uint64_t(pairs));
    counters_.add(w, Counter::queue_elements, uint64_t(touched));
  }
};

BROKKR_MACHINE_END
