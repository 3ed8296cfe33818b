// The builds of the queue experiments for the CPU: one per machine (lab/queue_kernel.cpp).
#pragma once

#include "lab/queue_plan.h"

namespace brokkr::lab {

struct CpuQueueEntry {
  size_t (*bytes)(const QueueShape&);
  void (*prepare)(void*, const QueueShape&);
  void (*mix)(const MixPlan&, int warp);
  void (*rank)(const RankPlan&, int warp);
};

struct CpuQueueLab {
  int width;  // lanes of a warp
  void (*atomics)(const AtomicPlan&, int warp);
  CpuQueueEntry queue[kQueueKinds];  // by QueueKind
};

}  // namespace brokkr::lab
