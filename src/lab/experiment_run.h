// One configuration of an experiment: its memory, its runs, its times.
#pragma once

#include <algorithm>
#include <numeric>

#include "lab/queue_experiments.h"

namespace brokkr::lab {

// The power of two that is not below n; at least 2.
uint32_t power_above(uint64_t n);

// The numbers of warps that an experiment tries: those that the machine runs at once.
std::vector<uint32_t> warp_counts(const LabMachine& machine, const ExperimentOptions& options, QueueKind kind,
                                  Workload workload);

// A measurement whose fields about machine and crew are filled in.
Measurement measurement_of(const LabMachine& machine, const std::string& experiment, const Crew& crew);

// Sets the times of m, a Measurement or a ScheduleMeasurement, from the milliseconds of one or more runs. A negative
// time belongs to a run that was ended after `seconds`.
template <class M>
void set_times(M& m, const std::vector<double>& ms, double seconds) {
  m.min_ms = *std::min_element(ms.begin(), ms.end());
  m.max_ms = *std::max_element(ms.begin(), ms.end());
  m.mean_ms = std::accumulate(ms.begin(), ms.end(), 0.0) / double(ms.size());
  if (m.min_ms < 0) m.error = "ended after " + std::to_string(int(seconds)) + " s";
}

// Runs `plan`, which gives loops, chances, work and crew, on a queue of `kind` with room for `capacity` elements.
void measure_mix(LabMachine& machine, QueueKind kind, MixPlan plan, uint64_t capacity, const ExperimentOptions& options,
                 Measurement& m);

// Runs page rank on `graph` and compares the ranks with `expected`.
void measure_rank(LabMachine& machine, QueueKind kind, const Crew& crew, const Graph& graph,
                  const std::vector<uint64_t>& expected, const ExperimentOptions& options, Measurement& m);

}  // namespace brokkr::lab
