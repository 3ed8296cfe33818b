// One configuration of a scheduling experiment: its plan, its runs, its times.
#pragma once

#include <memory>
#include <vector>

#include "lab/schedule_experiments.h"
#include "lab/schedule_plan.h"

namespace brokkr::lab {

// A way of scheduling that an experiment measures.
struct ScheduleSystem {
  const char* name;
  ScheduleProgram program;
  uint32_t queues;
  bool sorted;  // one more worker keeps its queue sorted
};
inline constexpr ScheduleSystem kPlainQueue = {"fifo", ScheduleProgram::fifo, 1, false};

// The results of a run.
struct ScheduleOutcome {
  double ms = -1;     // from the first decision to the last; negative for a run that was ended
  double cpu_ms = 0;  // of all threads, with making the first tasks
  std::vector<TaskRecord> log;
  uint32_t made = 0, refused = 0;
};

class ScheduleRunner {
 public:
  // Both outlive the object.
  ScheduleRunner(LabMachine& machine, const ScheduleOptions& options);

  bool gpu() const { return gpu_; }
  uint32_t workers() const { return workers_; }  // workers that run tasks

  // A plan whose tasks have this many multiply-adds and memory operations each.
  SchedulePlan plan_of(const ScheduleSystem& system, ScheduleWork work, uint32_t adds, uint32_t reads);
  // A plan with `tasks` tasks of random priorities, and space for all tasks that these make.
  SchedulePlan priority_plan(const ScheduleSystem& system, uint32_t adds, uint32_t reads, uint32_t tasks);
  // A measurement whose fields about machine, system and plan are filled in.
  ScheduleMeasurement measurement(const char* experiment, const ScheduleSystem& system, const SchedulePlan& plan);

  ScheduleOutcome run(SchedulePlan plan, const ScheduleSystem& system);
  // Runs the plan several times (0: ScheduleOptions::runs) and sets the times of m. Returns the last run's outcome.
  ScheduleOutcome repeat(const SchedulePlan& plan, const ScheduleSystem& system, ScheduleMeasurement& m,
                         uint32_t runs = 0);

  // The least time in ms of `tasks` tasks that run without any queue.
  double time_without_queues(uint32_t adds, uint32_t reads, uint32_t tasks);
  double ns_per_add();  // of a worker; measured once

 private:
  LabMachine& machine_;
  const ScheduleOptions& options_;
  bool gpu_;
  uint32_t workers_;
  std::shared_ptr<void> buffer_;
  double ns_per_add_ = 0;
};

}  // namespace brokkr::lab
