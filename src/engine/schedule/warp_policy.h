// A policy of buckets for tasks of one thread each: whole warps first.
#pragma once

#include "schedule/policies.h"

BROKKR_MACHINE_BEGIN

// Reports the number of threads that work on a queue's elements.
template <int kThreads>
struct HowManyThreads {
  BROKKR_FN static Ulong check_leaf(Ulong count) { return count * uint64_t(kThreads); }
};

// The first child that fills a warp, or else the first that has something: what threads are for waits until there are
// as many as a warp has lanes, while there is other work ([Steffen12, 5.4], for warps of µ-kernels). Leaves report
// threads: HowMany, HowManyThreads.
template <class Traverse>
struct FullFirst : BucketDefaults, Traverse {
  template <class State>
  BROKKR_FN static Ulong propagate(const State& state, Int child, Ulong info) {
    const Ulong turn = to_ulong(state.children - child);
    return turn + select(info >= uint64_t(kWidth), Ulong(uint64_t(state.children)), uint64_t(0));
  }
};

BROKKR_MACHINE_END
