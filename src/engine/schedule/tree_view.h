// Data of the nodes of a task tree (schedule/task_tree.h): the state that callbacks see, the result of a decision, and
// the places of nodes in a program's memory.
#pragma once

#include "queue/broker_queue.h"
#include "schedule/constants.h"

BROKKR_MACHINE_BEGIN

struct BucketState {
  uint64_t* shared = nullptr;  // [children * kSharedWords]
  uint32_t* local = nullptr;   // [kLocalWords], of one worker
  int children = 0;
  uint64_t now = 0;                 // ns, since the program began
  const uint32_t* ranks = nullptr;  // [children], where a program has some of its own
};

// The state of buckets that are rated side by side, one instance or more in a warp: lane i's words begin at
// shared[at_i] and local[at_i]. `number` is that of the bucket's child that the lane holds.
struct LaneState {
  const uint64_t* shared = nullptr;
  const uint32_t* local = nullptr;
  Int shared_at = 0, local_at = 0;
  int children = 0;
  uint64_t now = 0;
};

struct MaintainState {
  uint64_t now = 0;          // ns, since the program began
  uint64_t* user = nullptr;  // ProgramMemory::user
};

// Callbacks that a bucket need not have.
struct BucketDefaults {
  static constexpr int kSharedWords = 0, kLocalWords = 0;
  static constexpr bool kTimed = false;  // whether `executed` is called
  BROKKR_FN static void chosen(const BucketState&, int) {}
  BROKKR_FN static void executed(const BucketState&, int, uint64_t) {}
  BROKKR_FN static void init(const BucketState&, uint32_t) {}
};

template <class Callbacks>
concept Settling = requires {
  &Callbacks::settles;
};
// Callbacks that change which children take what (schedule/task_tree.h).
template <class Callbacks>
concept Reclassifying = requires {
  &Callbacks::lowers;
};
// Callbacks that rate children of several instances of their bucket at once.
template <class Callbacks>
concept RatesLanes = requires(const LaneState& state) {
  Callbacks::propagate(state, Int(0), Ulong(uint64_t(0)));
};

// The number of no leaf.
BROKKR_CONSTANT int kNoLeaf = -1;

// A decision: the leaf to take tasks from, or kNoLeaf where none has any.
struct Choice {
  uint64_t info = 0;
  int leaf = kNoLeaf;
};

// The same for each lane; info 0: nothing.
struct LaneChoice {
  Ulong info = uint64_t(0);
  Int leaf = kNoLeaf;
};

// The input of decisions, and the places of the buckets' state.
template <int kWords>
struct TreeView {
  QueueMemory<kWords> queues;
  uint64_t* shared = nullptr;
  uint32_t* local = nullptr;
  uint64_t now = 0;
  uint32_t excluded[kMostExcludedLeaves / 32] = {};  // leaves that turned out to be empty

  BROKKR_FN bool is_excluded(int leaf) const {
    return leaf < kMostExcludedLeaves && (excluded[leaf >> 5] >> (leaf & 31) & 1u) != 0;
  }
  BROKKR_FN void exclude(int leaf) {
    if (leaf < kMostExcludedLeaves) excluded[leaf >> 5] |= 1u << (leaf & 31);
  }
  BROKKR_FN void exclude_none() {
    for (uint32_t& bits : excluded) bits = 0;
  }
  // Elements of leaves first .. first + n - 1, one leaf per lane.
  BROKKR_FN Ulong counts(Warp& w, int first, int n) const {
    auto count = w.spill(uint64_t(0));
    w.for_lanes(w.first_lanes(n), [&](int i) {
      if (is_excluded(first + i)) return;
      count.set(i, uint64_t(Broker<>(queues.control[first + i], queues.capacity).available()));
    });
    return count.lanes();
  }
  // Elements of lane i's leaf.
  BROKKR_FN Ulong counts_of(Warp& w, Int leaf, Mask m) const {
    auto count = w.spill(uint64_t(0));
    const auto leaf_of = w.spill(leaf);
    w.for_lanes(m, [&](int i) {
      if (is_excluded(leaf_of[i])) return;
      count.set(i, uint64_t(Broker<>(queues.control[leaf_of[i]], queues.capacity).available()));
    });
    return count.lanes();
  }
};

// Where a node's leaves and state begin.
struct TreePlace {
  int leaf = 0, shared = 0, local = 0;
};
// The same for each lane.
struct LanePlace {
  Int leaf = 0, shared = 0, local = 0;
};

BROKKR_MACHINE_END
