// A block's stock of free blocks of the triangle store. All blocks share one queue of them; a block that asked it for
// each would meet all others there. So it takes as many as its tasks may need, keeps what they leave, adds what its
// rasterizers have finished, and gives back what is more than its share.
#pragma once

#include "queue/broker_queue.h"
#include "schedule/constants.h"
#include "schedule/schedule_tables.h"

BROKKR_MACHINE_BEGIN

// Of one block, in its shared storage.
struct StockState {
  uint32_t held;                        // blocks in stock
  uint32_t used[kMostTasksOfDecision];  // of those that each warp's task was given
  uint32_t numbers[kStockCapacity + uint32_t(kWidth)];
};

// The stock of a block. Its leading warp calls all functions but task().
class Stock {
 public:
  BROKKR_FN Stock(const StockTables& tables, StockState& state)
      : tables_(tables), state_(state), free_blocks_(tables.free_blocks) {}

  // Takes what is missing for `want` tasks of `each` blocks (its capacity at most), or else for one. Returns the tasks
  // that have enough.
  BROKKR_FN int fill(Warp& w, int want, int each) {
    const int fit = int(tables_.capacity) / each;
    if (want > fit) want = fit;
    if (!hold(w, want * each)) hold(w, each);
    const int tasks = int(w.uniform([&] { return state_.held; })) / each;
    return tasks < want ? tasks : want;
  }

  // The `nth` block of a task: that of warp `warp`, one of `tasks` for which the stock was filled. Any warp.
  BROKKR_FN uint32_t nth_of_task(Warp& w, int warp, int tasks, int nth) const {
    return w.uniform([&] { return state_.numbers[int(state_.held) - (nth + 1) * tasks + warp]; });
  }
  // The task of warp `warp` has used so many. Any warp, once.
  BROKKR_FN void note_used(Warp& w, int warp, int blocks) {
    w.once([&] { state_.used[warp] = uint32_t(blocks); });
  }
  // After all tasks: closes the gaps.
  BROKKR_FN_NOINLINE void settle(Warp& w, int tasks) {
    StockState& state = near();
    const Uint used = w.load(state.used, w.first_lanes(tasks));
    const int rows = int(w.reduce_max(used));
    const int held = int(w.uniform([&] { return state.held; }));
    int kept = held - rows * tasks;
    for (int row = rows - 1; row >= 0; --row) {
      const Uint number = w.load(state.numbers + (held - (row + 1) * tasks), w.first_lanes(tasks));
      w.sync();  // all have read before one writes
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
  // Gives back all but `keep`.
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

  // For functions that are not inlined, where the compiler knows nothing of the reference.
  BROKKR_FN StockState& near() const { return *in_shared_memory(&state_); }

  // Takes what is missing until `blocks` are in stock. False: the queue has fewer, and none was taken.
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
