// Data of a task tree's nodes (schedule/task_tree.h): the state that callbacks see, the result of a decision, and the
// places of nodes in a program's memory.
#pragma once

#include "queue/broker_queue.h"
#include "schedule/constants.h"

BROKKR_MACHINE_BEGIN

struct BucketState {
  uint64_t* shared = nullptr;  // [children * kSharedWords]
  uint32_t* local = nullptr;   // [kLocalWords], for one worker
  int children = 0;
  uint64_t now = 0;                 // ns since the program began
  const uint32_t* ranks = nullptr;  // [children], if the program provides ranks
};

// The state of buckets that are rated side by side in a warp: lane i's words begin at shared[at_i] and local[at_i].
// `number` is the child that the lane holds.
struct LaneState {
  const uint64_t* shared = nullptr;
  const uint32_t* local = nullptr;
  Int shared_at = 0, local_at = 0;
  int children = 0;
  uint64_t now = 0;
};

struct MaintainState {
  uint64_t now = 0;          // ns since the program began
  uint64_t* user = nullptr;  // ProgramMemory::user
};

// Defaults for optional callbacks of a bucket.
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
// True for callbacks that change which child takes which task (schedule/task_tree.h).
template <class Callbacks>
concept Reclassifying = requires {
  &Callbacks::lowers;
};
// True for callbacks that rate children of several instances of their bucket at once.
template <class Callbacks>
concept RatesLanes = requires(const LaneState& state) {
  Callbacks::propagate(state, Int(0), Ulong(uint64_t(0)));
};

// Means that no leaf was chosen.
BROKKR_CONSTANT int kNoLeaf = -1;

// A decision: the leaf to take tasks from, or kNoLeaf if no leaf has any.
struct Choice {
  uint64_t info = 0;
  int leaf = kNoLeaf;
};

// The same per lane; info 0: nothing was found.
struct LaneChoice {
  Ulong info = uint64_t(0);
  Int leaf = kNoLeaf;
};

// The input of decisions, and the places of bucket states.
template <int kWords>
struct TreeView {
  QueueMemory<kWords> queues;
  uint64_t* shared = nullptr;
  uint32_t* local = nullptr;
  uint64_t now = 0;
  uint32_t excluded[kMostExcludedLeaves / 32] = {};  // leaves that were found empty

  BROKKR_FN bool is_excluded(int leaf) const {
    return leaf < kMostExcludedLeaves && (excluded[leaf >> 5] >> (leaf & 31) & 1u) != 0;
  }
  BROKKR_FN void exclude(int leaf) {
    if (leaf < kMostExcludedLeaves) excluded[leaf >> 5] |= 1u << (leaf & 31);
  }
  BROKKR_FN void exclude_none() {
    for (uint32_t& bits : excluded) bits = 0;
  }
  // Number of elements in leaves first .. first + n - 1, one leaf per lane.
  BROKKR_FN Ulong counts(Warp& w, int first, int n) const {
    auto count = w.spill(uint64_t(0));
    w.for_lanes(w.first_lanes(n), [&](int i) {
      if (is_excluded(first + i)) return;
      count.set(i, uint64_t(Broker<>(queues.control[first + i], queues.capacity).available()));
    });
    return count.lanes();
  }
  // Number of elements in each lane's leaf.
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

// The start of a node's leaves and state.
struct TreePlace {
  int leaf = 0, shared = 0, local = 0;
};
// The same per lane.
struct LanePlace {
  Int leaf = 0, shared = 0, local = 0;
};

BROKKR_MACHINE_END
