// Packs set-up triangles into blocks of the triangle store, in submission order.
#pragma once

#include <concepts>

#include "geometry/setup.h"

BROKKR_MACHINE_BEGIN

// The target and layer of a run's triangles.
struct DrawTarget {
  uint32_t target = 0, layer = 0;
};

// Source and destination of blocks: `take_block` returns the number of a free block, `distribute` accepts a finished
// one. `draw_small` may draw triangles immediately, so that they need no block, and returns their lanes.
template <class T>
concept BlockDistributor = requires(T distributor, Warp& w, uint32_t block, const DrawRecord& draw,
                                    const DrawTarget& at, const Setup& setup) {
  { distributor.take_block(w) } -> std::same_as<uint32_t>;
  distributor.distribute(w, block);
  { distributor.draw_small(w, draw, at, setup) } -> std::same_as<Mask>;
};

// Every triangle leaves geometry here: emit() fills a block, close() distributes it. What draw_small() takes needs
// none.
//
// There are two distributors: that of the pipeline sends a block to the rasterizers whose bins it touches
// (bin/distribute.h), and that of inspect/sample_kernel.cpp looks at its triangles itself. So it is a parameter, and
// geometry knows no bins. A writer that returned full blocks to a caller, who would then distribute them, would have to
// stop in the middle of a batch, in the middle of a clipped triangle even, and go on there later: state that lives in
// registers now would be saved around each block. A pointer to a function would hide the call from the compiler.
template <BlockDistributor Distributor>
class BlockWriter {
 public:
  // `run`: the run of the next triangles. A block holds triangles of one run: call close() before the run changes.
  BROKKR_FN BlockWriter(TriangleBlock* blocks, Distributor& distributor, const Run& run, uint32_t task)
      : blocks_(blocks), distributor_(&distributor), run_(run), task_(task) {}

  // Call before emit: removes from setup.valid the triangles that are drawn immediately.
  BROKKR_FN void draw_small(Warp& w, Setup& setup) {
    const Mask drawn = distributor_->draw_small(w, *run_.draw, {run_.target, run_.layer}, setup);
    records_ += uint32_t(w.count(drawn));
    setup.valid = setup.valid && !drawn;
  }

  BROKKR_FN void emit(Warp& w, const Setup& setup, Mask m) {
    uint32_t bits = w.ballot(m && setup.valid);
    while (bits != 0) {
      if (!open_) open(w);
      uint32_t rest = 0;
      if (count_ + count_bits(bits) > kBlockRecords) {
        rest = bits;
        for (int i = count_; i < kBlockRecords; ++i) rest &= rest - 1;
      }
      const uint32_t now = bits ^ rest;
      const Mask store = w.lanes_of(now);
      TriangleBlock& block = blocks_[block_];
      for (int f = 0; f < kRecordFields; ++f) w.compress_store(block.field[f] + count_, setup.field[f], store);
      count_ += count_bits(now);
      if (count_ == kBlockRecords) close(w);
      bits = rest;
    }
  }

  BROKKR_FN void close(Warp& w) {
    if (!open_) return;
    TriangleBlock& block = blocks_[block_];
    w.once([&] { block.count = uint32_t(count_); });
    w.sync();
    distributor_->distribute(w, block_);
    records_ += uint32_t(count_);
    open_ = false;
    count_ = 0;
  }

  // The number of triangles so far.
  BROKKR_FN uint32_t records() const { return records_; }

 private:
  BROKKR_FN void open(Warp& w) {
    block_ = distributor_->take_block(w);
    open_ = true;
    count_ = 0;
    TriangleBlock& block = blocks_[block_];
    w.once([&] {
      block.run = run_.number;
      block.draw = run_.draw_number;
      block.target = run_.target;
      block.layer = run_.layer;
      block.phase = run_.draw->phase;
      block.task = task_;
      block.sequence = sequence_;
      block.z_min = run_.draw->z_min;
      block.z_max = run_.draw->z_max;
      block.top_edges = run_.draw->bits & kDrawTopEdges ? 1 : 0;
    });
    ++sequence_;
  }

  TablePointer<TriangleBlock> blocks_;
  Distributor* distributor_;
  const Run& run_;
  uint32_t task_, block_ = 0, sequence_ = 0, records_ = 0;
  int count_ = 0;
  bool open_ = false;
};

BROKKR_MACHINE_END
