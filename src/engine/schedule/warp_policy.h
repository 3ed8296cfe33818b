// A policy for buckets of tasks with one thread each: full warps first.
#pragma once

#include "schedule/policies.h"

BROKKR_MACHINE_BEGIN

// Reports the number of threads that a queue's elements need.
template <int kThreads>
struct HowManyThreads {
  BROKKR_FN static Ulong check_leaf(Ulong count) { return count * uint64_t(kThreads); }
};

// The first child that fills a warp, or else the first that has tasks: tasks wait until they fill a warp's lanes, while
// there is other work ([Steffen12, 5.4], for warps of µ-kernels). Leaves report threads: HowMany, HowManyThreads.
template <class Traverse>
struct FullFirst : BucketDefaults, Traverse {
  template <class State>
  BROKKR_FN static Ulong propagate(const State& state, Int child, Ulong info) {
    const Ulong turn = to_ulong(state.children - child);
    return turn + select(info >= uint64_t(kWidth), Ulong(uint64_t(state.children)), uint64_t(0));
  }
};

BROKKR_MACHINE_END
