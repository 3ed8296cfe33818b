// The experiments of [Kerbl18, 4.6 and appendix A].
#pragma once

#include <span>

#include "lab/experiment.h"

namespace brokkr::lab {

// In running order. Some columns:
//   queue                            or the kind of access, of the atomics
//   granularity                      "thread": every lane uses the queue; "warp": one lane of each warp
//   ns_per_operation                 mean_ms by the operations of one thread
//   enqueued, dequeued, full, empty  of the last run
//   error                            what went wrong; the times are void
std::span<const Experiment> queue_experiments();

}  // namespace brokkr::lab
