// A block's stock of free blocks of the triangle store. All blocks share one queue of free blocks, and would contend
// for it if each accessed it for every store block. Therefore a block takes as many as its tasks may need, keeps the
// rest, adds the blocks that its rasterizers release, and returns those that exceed its share.
#pragma once

#include "queue/broker_queue.h"
#include "schedule/schedule_tables.h"

BROKKR_MACHINE_BEGIN

// The state of one block's stock, in its shared storage.
struct StockState {
  uint32_t held;                       // blocks in stock
  uint32_t used[kMaxTasksOfDecision];  // store blocks that each warp's task has used
  uint32_t numbers[kStockCapacity + uint32_t(kWidth)];
};

// A block's stock. The block's leading warp calls all functions except nth_of_task and note_used.
class Stock {
 public:
  BROKKR_FN Stock(const StockTables& tables, StockState& state)
      : tables_(tables), state_(state), free_blocks_(tables.free_blocks) {}

  // Refills the stock for `want` tasks of `each` blocks (up to its capacity), or for one task if that fails. Returns
  // the number of tasks that have enough blocks.
  BROKKR_FN int fill(Warp& w, int want, int each) {
    const int fit = int(tables_.capacity) / each;
    if (want > fit) want = fit;
    if (!hold(w, want * each)) hold(w, each);
    const int tasks = int(w.uniform([&] { return state_.held; })) / each;
    return tasks < want ? tasks : want;
  }

  // The `nth` block of the task of warp `warp`. The stock was filled for `tasks` tasks, and this is one of them. Any
  // warp may call this function.
  BROKKR_FN uint32_t nth_of_task(Warp& w, int warp, int tasks, int nth) const {
    return w.uniform([&] { return state_.numbers[int(state_.held) - (nth + 1) * tasks + warp]; });
  }
  // Records that the task of warp `warp` has used `blocks` blocks. Each warp calls it once.
  BROKKR_FN void note_used(Warp& w, int warp, int blocks) {
    w.once([&] { state_.used[warp] = uint32_t(blocks); });
  }
  // Call after all tasks. Closes the gaps.
  BROKKR_FN_NOINLINE void settle(Warp& w, int tasks) {
    StockState& state = near();
    const Uint used = w.load(state.used, w.first_lanes(tasks));
    const int rows = int(w.reduce_max(used));
    const int held = int(w.uniform([&] { return state.held; }));
    int kept = held - rows * tasks;
    for (int row = rows - 1; row >= 0; --row) {
      const Uint number = w.load(state.numbers + (held - (row + 1) * tasks), w.first_lanes(tasks));
      w.sync();  // all lanes have read before one writes
      kept += w.compress_store(state.numbers + kept, number, w.first_lanes(tasks) && used <= uint32_t(row));
      w.sync();
    }
    w.once([&] { state.held = uint32_t(kept); });
  }

  // Adds the free blocks of the lanes of m.
  BROKKR_FN void put(Warp& w, Uint number, Mask m) {
    const int n = w.count(m);
    if (n == 0) return;
    const uint32_t held = w.uniform([&] { return state_.held; });
    if (held + uint32_t(n) <= tables_.capacity) {
      w.compress_store(state_.numbers + held, number, m);
      w.once([&] { state_.held = held + uint32_t(n); });
    } else {
      const Uint element[1] = {number};
      free_blocks_.enqueue(w, 0, element, m);
    }
  }
  // Returns all blocks but `keep` blocks to the shared queue.
  BROKKR_FN_NOINLINE void trim(Warp& w, uint32_t keep) {
    StockState& state = near();
    uint32_t held = w.uniform([&] { return state.held; });
    if (held <= keep) return;
    while (held > keep) {
      const uint32_t n = held - keep < uint32_t(w.width) ? held - keep : uint32_t(w.width);
      held -= n;
      const Mask m = w.first_lanes(int(n));
      const Uint element[1] = {w.load(state.numbers + held, m)};
      free_blocks_.enqueue(w, 0, element, m);
    }
    w.once([&] { state.held = held; });
  }
  BROKKR_FN void trim(Warp& w) { trim(w, tables_.keep); }

 private:
  const StockTables& tables_;
  StockState& state_;
  BrokerQueues<1> free_blocks_;

  // For functions that are not inlined, because the compiler does not know the reference's address space there.
  BROKKR_FN StockState& near() const { return *in_shared_memory(&state_); }

  // Takes blocks until `blocks` are in stock. Returns false, and takes none, if the queue has too few.
  BROKKR_FN_NOINLINE bool hold(Warp& w, int blocks) {
    StockState& state = near();
    int held = int(w.uniform([&] { return state.held; }));
    if (held >= blocks) return true;
    if (!free_blocks_.claim_all(w, 0, blocks - held)) return false;
    while (held < blocks) {
      Uint number[1];
      const int n = blocks - held < w.width ? blocks - held : w.width;
      if (free_blocks_.take(w, 0, number, n) == 0) return false;
      w.store(state.numbers + held, number[0], w.first_lanes(n));
      held += n;
    }
    w.once([&] { state.held = uint32_t(blocks); });
    return true;
  }
};

BROKKR_MACHINE_END
