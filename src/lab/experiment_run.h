// One configuration of an experiment: its memory, its runs, its times.
#pragma once

#include "lab/queue_experiments.h"

namespace brokkr::lab {

// The power of two that is not below n; at least 2.
uint32_t power_above(uint64_t n);

// Warps that an experiment tries, as far as the machine runs them at once.
std::vector<uint32_t> warp_counts(const LabMachine& machine, const ExperimentOptions& options, QueueKind kind,
                                  Workload workload);

// A measurement with what machine and crew say filled in.
Measurement measurement_of(const LabMachine& machine, const std::string& experiment, const Crew& crew);

// Sets the times of m from those of single runs; one that is negative was ended.
void set_times(Measurement& m, const std::vector<double>& ms, double seconds);

// The plan's loops, chances, work and crew; the queue is made here. `capacity`: elements that must fit.
void measure_mix(LabMachine& machine, QueueKind kind, MixPlan plan, uint64_t capacity,
                 const ExperimentOptions& options, Measurement& m);

// Page rank of `graph`, whose right ranks are `expected`.
void measure_rank(LabMachine& machine, QueueKind kind, const Crew& crew, const Graph& graph,
                  const std::vector<uint64_t>& expected, const ExperimentOptions& options, Measurement& m);

}  // namespace brokkr::lab
