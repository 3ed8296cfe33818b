// The experiments of [Kerbl18, 4.6 and appendix A], measured on one machine.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "lab/graph.h"
#include "lab/lab_machine.h"

namespace brokkr::lab {

struct ExperimentOptions {
  std::vector<QueueKind> queues;  // empty: those that the experiment compares
  std::vector<uint32_t> warps;    // empty: powers of two, 1 .. 16 on the CPU, up to full occupancy on a GPU
  uint32_t loops = 0;             // most enqueue and dequeue pairs per thread; 0: 10 on a GPU, 1000 on the CPU
  uint32_t runs = 5;              // of each configuration
  uint32_t iterations = 8;        // of page rank, 1 .. kMaxRankIterations
  uint32_t seed = 1;
  bool quick = false;         // two sizes and few pairs: shows that everything works, not how fast
  double seconds = 60;        // after which a run is ended
  std::vector<Graph> graphs;  // of page rank; empty: power-law graphs as large as the two networks of [Kerbl18]
};

struct Measurement {
  std::string experiment, machine, detail;
  std::string queue;        // or the kind of access, of the atomics
  std::string granularity;  // "thread": every lane uses the queue; "warp": one lane of each warp
  uint32_t threads = 0, warps = 0;
  double enqueue_probability = 1, dequeue_probability = 1;
  uint32_t multiply_adds = 0, loops = 0;
  std::string graph;
  uint32_t nodes = 0, edges = 0, iterations = 0;
  uint32_t runs = 0;
  double mean_ms = 0, min_ms = 0, max_ms = 0;
  double ns_per_operation = 0;                               // mean_ms by the operations of one thread
  uint64_t enqueued = 0, dequeued = 0, full = 0, empty = 0;  // of the last run
  std::string error;                                         // what went wrong; the times are void
};

// Columns of `measurement_cells`.
std::vector<std::string> measurement_columns();
std::vector<std::string> measurement_cells(const Measurement& m);

// Callbacks that an experiment calls while it runs.
struct ExperimentReport {
  std::function<void(const Measurement&)> measured;
  std::function<void(const std::string&)> progress;  // one line
};

struct QueueExperiment {
  const char* name;
  const char* figure;  // of [Kerbl18]
  const char* title;
  void (*run)(LabMachine&, const ExperimentOptions&, const ExperimentReport&);  // options are not checked
};
// In the order in which they run.
std::span<const QueueExperiment> queue_experiments();

// Throws std::invalid_argument for an unknown name or options out of range.
void run_queue_experiment(const std::string& name, LabMachine& machine, const ExperimentOptions& options,
                          const ExperimentReport& report);

// The power of two that is not below n; at least 2.
uint32_t power_above(uint64_t n);

// Sets the times of m, a Measurement or a ScheduleMeasurement, from the milliseconds of one or more runs. A negative
// time belongs to a run that was ended after `seconds`.
template <class M>
void set_times(M& m, const std::vector<double>& ms, double seconds) {
  m.min_ms = *std::min_element(ms.begin(), ms.end());
  m.max_ms = *std::max_element(ms.begin(), ms.end());
  m.mean_ms = std::accumulate(ms.begin(), ms.end(), 0.0) / double(ms.size());
  if (m.min_ms < 0) m.error = "ended after " + std::to_string(int(seconds)) + " s";
}

}  // namespace brokkr::lab
