// One configuration of an experiment: its memory, its runs, its times.
#pragma once

#include <algorithm>
#include <numeric>

#include "lab/queue_experiments.h"

namespace brokkr::lab {

// The power of two that is not below n; at least 2.
uint32_t power_above(uint64_t n);

// Warps that an experiment tries, as far as the machine runs them at once.
std::vector<uint32_t> warp_counts(const LabMachine& machine, const ExperimentOptions& options, QueueKind kind,
                                  Workload workload);

// A measurement with what machine and crew say filled in.
Measurement measurement_of(const LabMachine& machine, const std::string& experiment, const Crew& crew);

// Sets the times of m, a Measurement or a ScheduleMeasurement, from those of one or more runs in ms; one that is
// negative was ended after so many seconds.
template <class M>
void set_times(M& m, const std::vector<double>& ms, double seconds) {
  m.min_ms = *std::min_element(ms.begin(), ms.end());
  m.max_ms = *std::max_element(ms.begin(), ms.end());
  m.mean_ms = std::accumulate(ms.begin(), ms.end(), 0.0) / double(ms.size());
  if (m.min_ms < 0) m.error = "ended after " + std::to_string(int(seconds)) + " s";
}

// The plan's loops, chances, work and crew; the queue is made here. `capacity`: elements that must fit.
void measure_mix(LabMachine& machine, QueueKind kind, MixPlan plan, uint64_t capacity, const ExperimentOptions& options,
                 Measurement& m);

// Page rank of `graph`, whose right ranks are `expected`.
void measure_rank(LabMachine& machine, QueueKind kind, const Crew& crew, const Graph& graph,
                  const std::vector<uint64_t>& expected, const ExperimentOptions& options, Measurement& m);

}  // namespace brokkr::lab
