// Shared by the experiments of [Kerbl18, chapters 4 and 5]: their table, their options, and repeated runs of a
// configuration.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "brokkr/options.h"
#include "lab/graph.h"
#include "lab/lab_machine.h"
#include "lab/result_table.h"

namespace brokkr::lab {

using ShowProgress = std::function<void(const std::string&)>;  // one line

struct LabOptions {
  uint32_t runs = 5;  // per configuration
  uint32_t seed = 1;
  bool quick = false;                    // few sizes and points: shows that everything works, not how fast or how well
  double seconds = 60;                   // time limit of a run
  std::shared_ptr<MemoryBudget> budget;  // of graphs and of what experiments take on the host; null: without a limit

  // For the experiments with queues.
  std::vector<QueueKind> queues;  // empty: those that the experiment compares
  std::vector<uint32_t> warps;    // empty: powers of two, 1 .. 16 on the CPU, up to full occupancy on a GPU
  uint32_t loops = 0;         // maximum number of enqueue and dequeue pairs per thread; 0: 10 on a GPU, 1000 on the CPU
  uint32_t iterations = 8;    // for page rank, 1 .. kMaxRankIterations
  std::vector<Graph> graphs;  // for page rank; empty: power-law graphs as large as the two networks of [Kerbl18]

  // For the experiments with scheduling.
  uint32_t workers = 0;           // warps that run tasks, 2 or more; 0: one per core but at least 2, on a GPU 256
  uint32_t decisions = 10000;     // for the experiment with quotas, 100 or more
  uint32_t most_tasks = 1000000;  // maximum number queued at once in the experiment with accuracy, 100 or more

  // For the experiments with frames that are cut off.
  std::string scene = "generated:city";
  int views = 0, view_size = 0;  // for the experiment with views; 0: 4 views of a scene (a captured frame has its own)
  RenderOptions render;          // machine, workers, fixation; the experiment sets policy and budget
};

// A running experiment.
struct LabRun {
  LabMachine& machine;
  const LabOptions& options;
  ResultTable& table;
  const ShowProgress& progress;
};

struct Experiment {
  const char* name;
  const char* figure;  // in [Kerbl18]
  const char* title;
  const char* columns;  // "a,b,c"
  void (*run)(const LabRun&);
};

// Runs an experiment by name. Throws std::invalid_argument for an unknown name or options out of range.
ResultTable run_experiment(std::span<const Experiment> experiments, const std::string& name, LabMachine& machine,
                           const LabOptions& options, const ShowProgress& progress);

struct Times {
  double mean = 0, least = 0;  // milliseconds
  uint32_t runs = 0;
};

// Sets the columns that identify the machine: experiment, machine, detail (instruction set, or the GPU's name) and
// lanes per warp.
void set_where(const LabRun& run, Record& m);

// Sets a row's mean_ms, min_ms and max_ms from the milliseconds of one or more runs. A negative value means that a run
// was aborted, and sets the row's error.
Times set_times(const LabRun& run, Record& m, const std::vector<double>& ms);

// The same for runs 0 .. runs - 1 of a configuration. Stops after a run that was aborted or sets the row's error.
Times repeat(const LabRun& run, Record& m, uint32_t runs, const std::function<double(uint32_t)>& once);

}  // namespace brokkr::lab
