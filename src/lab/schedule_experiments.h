// The experiments of [Kerbl18, 5.3] with scheduling policies, measured on one machine.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/lab_machine.h"

namespace brokkr::lab {

struct ScheduleOptions {
  // Warps that run tasks, 2 or more; 0: one per core and at least 2, on a GPU 256.
  uint32_t workers = 0;
  uint32_t decisions = 10000;     // of the experiment with quotas
  uint32_t most_tasks = 1000000;  // queued at once, in the experiment with accuracy
  uint32_t runs = 3;
  uint32_t seed = 1;
  bool quick = false;   // few tasks and points: shows that everything works, not how well
  double seconds = 60;  // after which a run is ended
};

// One line of a result. Fields that an experiment does not measure stay empty.
struct ScheduleMeasurement {
  std::string experiment, machine, detail;
  std::string system;  // what decides: fifo, separate buckets, sorted, ...
  uint32_t workers = 0, multiply_adds = 0, memory_operations = 0;
  uint32_t tasks = 0;  // queued at once, or made
  std::optional<uint32_t> load, decisions, process;
  std::optional<double> quota, share;                          // of time, in percent
  std::optional<double> on_time;                               // of tasks, in percent
  std::optional<double> late_ms, least_late_ms, most_late_ms;  // end after deadline
  std::optional<double> accuracy;                              // S of [Kerbl18, 5.3.5], in percent
  std::optional<double> mean_ms, min_ms, max_ms;               // of a run
  // Of the least time over that of `baseline`, in percent; in the experiment with overhead, of the threads' time on a
  // CPU.
  std::optional<double> overhead;
  std::string baseline;
  uint32_t refused = 0;  // tasks that found their queue full
  std::string error;
};

std::vector<std::string> schedule_columns();
std::vector<std::string> schedule_cells(const ScheduleMeasurement& m);

struct ScheduleReport {
  std::function<void(const ScheduleMeasurement&)> measured;
  std::function<void(const std::string&)> progress;  // one line
};

struct ScheduleExperiment {
  const char* name;
  const char* figure;  // of [Kerbl18]
  const char* title;
  void (*run)(LabMachine&, const ScheduleOptions&, const ScheduleReport&);  // options are not checked
};
// In the order in which they run.
std::span<const ScheduleExperiment> schedule_experiments();

// Throws std::invalid_argument for an unknown name or options out of range.
void run_schedule_experiment(const std::string& name, LabMachine& machine, const ScheduleOptions& options,
                             const ScheduleReport& report);

// S of [Kerbl18, 5.3.5] in percent: of all pairs of a task that was begun and one that was queued with it, how many
// were in the right order (equal priorities are). `numbers`: in the order in which they were begun; the i-th of them
// made task tasks + i.
double schedule_accuracy(const std::vector<uint32_t>& numbers, uint32_t tasks, uint32_t seed);

}  // namespace brokkr::lab
