// Scheduling policies as callbacks of buckets and queues [Kerbl18, 5.3]. They can be combined freely. A bucket's policy
// chooses the next child. Its parameter `Traverse`, if it has one, chooses the child that gets a new task; it is a
// class with `traverse` as in schedule/task_tree.h.
#pragma once

#include "schedule/task_tree.h"

BROKKR_MACHINE_BEGIN

// ---- The words of a bucket's state, for one bucket or for several side by side.

BROKKR_FN Int local_word(const BucketState& state, int k) { return int(state.local[k]); }
BROKKR_FN Int local_word(const LaneState& state, int k) {
  return as_int(Warp::gather(state.local, state.local_at + k, true));
}
BROKKR_FN Int shared_place(const BucketState&) { return 0; }
BROKKR_FN Int shared_place(const LaneState& state) { return state.shared_at; }

// ---- Leaves.

// Reports whether there are tasks.
struct HasTasks {
  BROKKR_FN static Ulong check_leaf(Ulong count) { return minimum(count, 1); }
};
// Reports the number of elements.
struct HowMany {
  BROKKR_FN static Ulong check_leaf(Ulong count) { return count; }
};

// ---- These choose the child that gets a new task. Word number `kWord` of the payload decides.

// The child whose number is in the payload.
template <int kWord>
struct ByNumber {
  template <class Task>
  BROKKR_FN static Int traverse(const BucketState&, const Uint (&payload)[Task::kWords], Mask) {
    return as_int(payload[kWord]);
  }
};
// Maps priorities 0 .. 2^24 - 1 to as many classes as there are children.
template <int kWord>
struct ByPriority {
  template <class Task>
  BROKKR_FN static Int traverse(const BucketState& state, const Uint (&payload)[Task::kWords], Mask) {
    return as_int((payload[kWord] >> 8) * state.children >> 16);
  }
};
// Each child takes one kind of tasks, so there is nothing to decide.
struct ByTask {
  template <class Task>
  BROKKR_FN static Int traverse(const BucketState&, const Uint (&)[Task::kWords], Mask) {
    return 0;
  }
};

// ---- These choose the next child.

BROKKR_FN Ulong to_ulong(Int a) { return Ulong(as_uint(a)); }

// The last child that has tasks. With ByPriority, these are discretized priorities (5.3.1).
template <class Traverse>
struct LastFirst : BucketDefaults, Traverse {
  template <class State>
  BROKKR_FN static Ulong propagate(const State&, Int child, Ulong) {
    return to_ulong(child + 1);
  }
};
template <int kWord>
using Discrete = LastFirst<ByPriority<kWord>>;

// Discretized priorities below an upper bound that adapts to the tasks ([Kerbl18, 5.4], decreasing priorities). As a
// picture improves, its tasks lose priority, until all of them are in the lowest buckets and unordered. If the upper
// half of the children was empty for `patience` consecutive decisions of all workers together, the bound is therefore
// halved: priorities 0 .. 2^24 - 1 count twice as much, and queued tasks are inserted again. The thesis empties the
// hierarchy first; here all other workers continue. The children are processed from the last to the first, tasks only
// move to higher children, and none moves twice. A task that another worker inserts at the same time may end up one
// halving too low.
//
// Shared words, initially 0: [0] number of halvings, plus 2^32 while tasks are inserted again; [1] consecutive
// decisions that found the upper half empty; [2] the patience, set before the program begins. With a patience of 0 the
// bound never changes, as for Discrete.
template <int kWord>
struct DecreasingPriorities : BucketDefaults {
  static constexpr int kSharedWords = 2;        // per child; there are at least two children
  static constexpr uint32_t kMaxHalvings = 16;  // leaves 8 bits of the priority
  static constexpr int kHalvingsWord = 0, kEmptyWord = 1, kPatienceWord = 2;

  template <class Task>
  BROKKR_FN static Int traverse(const BucketState& state, const Uint (&payload)[Task::kWords], Mask) {
    const uint32_t halvings =
        Warp::uniform([&] { return uint32_t(device_atomic<uint64_t>(state.shared[kHalvingsWord]).load(kRelaxed)); });
    const Uint priority = minimum(payload[kWord], (0xffffffu >> halvings)) << Uint(halvings);
    return as_int((priority >> 8) * state.children >> 16);
  }
  template <class State>
  BROKKR_FN static Ulong propagate(const State&, Int child, Ulong) {
    return to_ulong(child + 1);
  }
  BROKKR_FN static void chosen(const BucketState& state, int child) {
    if (state.shared[kPatienceWord] == 0) return;
    device_atomic<uint64_t> empty(state.shared[kEmptyWord]);
    if (2 * child < state.children) {
      empty.fetch_add(1, kRelaxed);
    } else if (empty.load(kRelaxed) != 0) {
      empty.store(0, kRelaxed);
    }
  }
  BROKKR_FN static bool lowers(const BucketState& state) {
    const uint64_t patience = state.shared[kPatienceWord];
    if (patience == 0 || device_atomic<uint64_t>(state.shared[kEmptyWord]).load(kRelaxed) < patience) return false;
    device_atomic<uint64_t> bound(state.shared[kHalvingsWord]);
    uint64_t halvings = bound.load(kRelaxed);
    if (halvings >= kMaxHalvings) return false;
    return bound.compare_exchange_strong(halvings, (uint64_t(1) << 32) | (halvings + 1), kRelaxed);
  }
  BROKKR_FN static void lowered(const BucketState& state) {
    device_atomic<uint64_t>(state.shared[kEmptyWord]).store(0, kRelaxed);
    device_atomic<uint64_t> bound(state.shared[kHalvingsWord]);
    bound.store(bound.load(kRelaxed) & 0xffffffffu, kRelaxed);
  }
};

// The first child that has tasks. It is geometry-first if geometry is child 0, and raster-first if rasterization is
// child 0.
template <class Traverse>
struct FirstFirst : BucketDefaults, Traverse {
  BROKKR_FN static bool settles(const BucketState&, int, uint64_t) { return true; }
  template <class State>
  BROKKR_FN static Ulong propagate(const State& state, Int child, Ulong) {
    return to_ulong(state.children - child);
  }
};

// The child with the largest report. It is fill-level with HowMany in the leaves.
template <class Traverse>
struct Fullest : BucketDefaults, Traverse {
  template <class State>
  BROKKR_FN static Ulong propagate(const State&, Int, Ulong info) {
    return info;
  }
};

// Round robin over the children, separately for each worker (5.3.2). Workers start at different children.
template <class Traverse>
struct RoundRobin : BucketDefaults, Traverse {
  static constexpr int kLocalWords = 1;  // the child that was chosen last
  BROKKR_FN static void init(const BucketState& state, uint32_t worker) {
    state.local[0] = worker % uint32_t(state.children);
  }
  template <class State>
  BROKKR_FN static Ulong propagate(const State& state, Int child, Ulong) {
    const Int ahead = child - (local_word(state, 0) + 1);
    return to_ulong(state.children - select(ahead < 0, ahead + state.children, ahead));
  }
  BROKKR_FN static void chosen(const BucketState& state, int child) { state.local[0] = uint32_t(child); }
};

// Time in proportion to quotas: the next child is the one that has used the smallest fraction of its quota (5.3.3,
// separate buckets). Quotas are set in shared words [children + i] before the program begins, in any unit. Used times
// are in words [i], in ns.
template <class Traverse>
struct FairShare : BucketDefaults, Traverse {
  static constexpr int kSharedWords = 2;
  static constexpr bool kTimed = true;
  template <class State>
  BROKKR_FN static Ulong propagate(const State& state, Int child, Ulong) {
    auto score = Warp::spill(uint64_t(0));
    const auto child_of = Warp::spill(shared_place(state) + child);
    Warp::for_lanes(child < state.children, [&](int i) {
      const int c = child_of[i];
      const uint64_t used = device_atomic<uint64_t>(state.shared[c]).load(kRelaxed);
      const uint64_t quota = device_atomic<uint64_t>(state.shared[state.children + c]).load(kRelaxed);
      score.set(i, ~uint64_t(0) - (used << 8) / (quota == 0 ? 1 : quota));
    });
    return score.lanes();
  }
  BROKKR_FN static void executed(const BucketState& state, int child, uint64_t ns) {
    device_atomic<uint64_t>(state.shared[child]).fetch_add(ns, kRelaxed);
  }
};

// ---- Earliest deadline first (5.3.4). Deadlines are microseconds since the program began, in a word of the payload.

// The callbacks of a leaf: one queue that a maintainer sorts (Sorted).
template <int kWord>
struct SortedByDeadline : HasTasks {
  template <class Task>
  BROKKR_FN static Uint maintain(const Uint (&payload)[Task::kWords], const MaintainState&) {
    return ~payload[kWord];
  }
};
// Does the same for priorities.
template <int kWord>
struct SortedByPriority : HasTasks {
  template <class Task>
  BROKKR_FN static Uint maintain(const Uint (&payload)[Task::kWords], const MaintainState&) {
    return payload[kWord];
  }
};
// Fair scheduling in one sorted queue (5.3.3): the process furthest below its quota goes first. Word kWord is the
// process. state.user holds the used time of each of the kProcesses processes, followed by their quotas.
template <int kWord, int kProcesses>
struct SortedByShare : HasTasks {
  template <class Task>
  BROKKR_FN static Uint maintain(const Uint (&payload)[Task::kWords], const MaintainState& state) {
    uint64_t total = 1, quotas = 1;
    for (int i = 0; i < kProcesses; ++i) {
      total += device_atomic<uint64_t>(state.user[i]).load(kRelaxed);
      quotas += state.user[kProcesses + i];
    }
    auto urgency = Warp::spill(0u);
    const auto process_of = Warp::spill(payload[kWord]);
    Warp::for_lanes(Warp::first_lanes(kWidth), [&](int i) {
      const uint32_t p = process_of[i];
      const uint64_t due = total / quotas * state.user[kProcesses + p];
      const uint64_t used = device_atomic<uint64_t>(state.user[p]).load(kRelaxed);
      // The unit is 1/1024 of the process's share, so 2^20 means that it used exactly its share.
      const uint64_t share = (used << 10) / (due == 0 ? 1 : due);
      urgency.set(i, share > (1u << 21) ? 0u : (1u << 21) - uint32_t(share));
    });
    return urgency.lanes();
  }
};

// A bucket for each job (PerJob). The next child has the oldest task with the earliest deadline. A job's deadlines are
// evenly spaced, so the newest deadline and the number of tasks determine the oldest. shared [i] is the newest
// deadline, and [children + i] is the spacing in microseconds, set before the program begins. Leaves report HowMany.
template <int kJobWord, int kDeadlineWord>
struct PerJob : BucketDefaults {
  static constexpr int kSharedWords = 2;
  template <class Task>
  BROKKR_FN static Int traverse(const BucketState& state, const Uint (&payload)[Task::kWords], Mask m) {
    const auto job_of = Warp::spill(payload[kJobWord]);
    const auto deadline_of = Warp::spill(payload[kDeadlineWord]);
    Warp::for_lanes(m, [&](int i) {
      device_atomic<uint64_t> newest(state.shared[job_of[i]]);
      uint64_t seen = newest.load(kRelaxed);
      while (seen < deadline_of[i] && !newest.compare_exchange_weak(seen, uint64_t(deadline_of[i]), kRelaxed)) {
      }
    });
    return as_int(payload[kJobWord]);
  }
  BROKKR_FN static Ulong propagate(const BucketState& state, Int child, Ulong info) {
    auto score = Warp::spill(uint64_t(0));
    const auto child_of = Warp::spill(child);
    const auto count_of = Warp::spill(info);
    Warp::for_lanes(child < state.children, [&](int i) {
      const int c = child_of[i];
      if (count_of[i] == 0) return;
      const uint64_t newest = device_atomic<uint64_t>(state.shared[c]).load(kRelaxed);
      const uint64_t before = (count_of[i] - 1) * state.shared[state.children + c];
      score.set(i, ~uint64_t(0) - (newest > before ? newest - before : 0));
    });
    return score.lanes();
  }
};

// Time in slices of kSlice microseconds, with a bucket for each slice (Discretized). The last slice takes all later
// deadlines.
template <int kDeadlineWord, uint32_t kSlice>
struct DeadlineSlices : FirstFirst<ByTask> {
  template <class Task>
  BROKKR_FN static Int traverse(const BucketState& state, const Uint (&payload)[Task::kWords], Mask) {
    return as_int(minimum(payload[kDeadlineWord] / kSlice, state.children - 1));
  }
};

// The same buckets as a ring that starts at the present (WrapAroundBuckets). Late tasks come last. Deadlines must lie
// less than children * kSlice in the future.
template <int kDeadlineWord, uint32_t kSlice>
struct WrapAroundSlices : BucketDefaults {
  template <class Task>
  BROKKR_FN static Int traverse(const BucketState& state, const Uint (&payload)[Task::kWords], Mask) {
    const Uint slice = payload[kDeadlineWord] / kSlice;
    return as_int(slice - slice / state.children * state.children);
  }
  BROKKR_FN static Ulong propagate(const BucketState& state, Int child, Ulong) {
    const int present = int(state.now / 1000 / kSlice % uint64_t(state.children));
    const Int ahead = child - present;
    return to_ulong(state.children - select(ahead < 0, ahead + state.children, ahead));
  }
};

BROKKR_MACHINE_END

// ---- A policy for buckets of tasks with one thread each: full warps go first.

BROKKR_MACHINE_BEGIN

// Reports the number of threads that a queue's elements need.
template <int kThreads>
struct HowManyThreads {
  BROKKR_FN static Ulong check_leaf(Ulong count) { return count * uint64_t(kThreads); }
};

// The first child that fills a warp, or otherwise the first that has tasks. While there is other work, tasks wait until
// they fill a warp's lanes ([Steffen12, 5.4], for warps of µ-kernels). Leaves report threads: HowMany, HowManyThreads.
template <class Traverse>
struct FullFirst : BucketDefaults, Traverse {
  template <class State>
  BROKKR_FN static Ulong propagate(const State& state, Int child, Ulong info) {
    const Ulong turn = to_ulong(state.children - child);
    return turn + select(info >= uint64_t(kWidth), Ulong(uint64_t(state.children)), uint64_t(0));
  }
};

BROKKR_MACHINE_END
