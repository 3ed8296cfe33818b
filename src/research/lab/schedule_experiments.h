// The experiments of [Kerbl18, 5.3] with scheduling policies.
#pragma once

#include <span>
#include <vector>

#include "lab/experiment.h"

namespace brokkr::lab {

// In running order. Columns that an experiment does not measure stay empty. Some columns:
//   system                               what decides: fifo, separate buckets, sorted, ...
//   workers                              warps, with those that sort
//   sorting_threads                      lanes of the warps that do nothing but sort
//   tasks                                queued at once, or made
//   load                                 multiplies the tasks of the jobs of [Kerbl18, 5.3.4] on kThesisBlocks workers
//   quota, share                         of time, in percent
//   on_time                              of tasks, in percent
//   late_ms, least_late_ms, most_late_ms end after deadline
//   accuracy                             S of [Kerbl18, 5.3.5], in percent
//   mean_ms, min_ms, max_ms              of a run
//   overhead                             of the least time over that of `baseline`, in percent; in the experiment with
//                                        overhead, of the threads' time on a CPU
//   refused                              tasks that found their queue full
std::span<const Experiment> schedule_experiments();

// S of [Kerbl18, 5.3.5] in percent: among all pairs of a started task and a task queued at that time, the fraction in
// the right order (equal priorities are). `numbers`: tasks in starting order; the i-th of them created task tasks + i.
double schedule_accuracy(const std::vector<uint32_t>& numbers, uint32_t tasks, uint32_t seed);

}  // namespace brokkr::lab
