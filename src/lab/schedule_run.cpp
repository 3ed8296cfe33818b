#include "lab/schedule_run.h"

#include <algorithm>
#include <ctime>
#include <thread>

#include "lab/queue_experiments.h"

namespace brokkr::lab {

ScheduleRunner::ScheduleRunner(LabMachine& machine, const ScheduleOptions& options)
    : machine_(machine), options_(options), gpu_(machine.name() == "cuda"), workers_(options.workers) {
  if (workers_ == 0) workers_ = gpu_ ? 256u : std::max(2u, std::thread::hardware_concurrency());
  buffer_ = machine.allocate(kScheduleBuffer * sizeof(uint32_t));
}

SchedulePlan ScheduleRunner::plan_of(const ScheduleSystem& system, ScheduleWork work, uint32_t adds, uint32_t reads) {
  SchedulePlan plan;
  plan.program = system.program;
  plan.work = work;
  // A worker that sorts is added, so that all systems have as many workers that run tasks. (In [Kerbl18], one of 88
  // blocks sorted.)
  plan.crew.warps = workers_ + (system.sorted ? 1 : 0);
  plan.multiply_adds = adds;
  plan.memory_operations = reads;
  plan.seed = options_.seed;
  plan.buffer = static_cast<uint32_t*>(buffer_.get());
  plan.abort = machine_.abort_word();
  return plan;
}

SchedulePlan ScheduleRunner::priority_plan(const ScheduleSystem& system, uint32_t adds, uint32_t reads,
                                           uint32_t tasks) {
  SchedulePlan plan = plan_of(system, ScheduleWork::priorities, adds, reads);
  plan.tasks = tasks;
  plan.limit = std::clamp(tasks, 10000u, 1000000u) / (options_.quick ? 5 : 1);
  // A queue has room for all elements that it ever gets.
  plan.capacity = power_above((uint64_t(plan.tasks) + plan.limit) / system.queues * 5 / 4 + 1024);
  return plan;
}

ScheduleMeasurement ScheduleRunner::measurement(const char* experiment, const ScheduleSystem& system,
                                                const SchedulePlan& plan) {
  ScheduleMeasurement m;
  m.experiment = experiment;
  m.machine = machine_.name();
  m.detail = machine_.detail();
  m.system = system.name;
  m.workers = plan.crew.warps;
  m.multiply_adds = plan.multiply_adds;
  m.memory_operations = plan.memory_operations;
  m.tasks = plan.tasks;
  return m;
}

ScheduleOutcome ScheduleRunner::run(SchedulePlan plan, const ScheduleSystem& system) {
  const ProgramStart start = machine_.program_start(plan);
  const auto memory = machine_.allocate(start.bytes);
  const auto log = machine_.allocate(size_t(plan.limit) * sizeof(TaskRecord));
  const auto counts = machine_.allocate(4 * sizeof(uint32_t) + 2 * sizeof(uint64_t));
  plan.memory = static_cast<std::byte*>(memory.get());
  plan.log = static_cast<TaskRecord*>(log.get());
  plan.span_ns = static_cast<uint64_t*>(counts.get());
  plan.begun = reinterpret_cast<uint32_t*>(plan.span_ns + 2);
  const auto write = [&](size_t at, const auto& values) {
    machine_.upload(plan.memory + at, values.data(), values.size() * sizeof(values[0]));
  };
  write(start.open_at, std::vector<uint32_t>{plan.crew.warps});
  std::vector<uint64_t> words;
  if (system.program == ScheduleProgram::fair_buckets || system.program == ScheduleProgram::fair_sorted) {
    words.assign(kScheduleProcesses, 0);
    words.insert(words.end(), std::begin(plan.quota), std::end(plan.quota));
  } else if (system.program == ScheduleProgram::edf_per_job) {
    words.assign(kScheduleJobs, 0);
    // Tasks of a turn share a deadline; between turns they are an interval apart: evenly spaced on average.
    for (uint32_t j = 0; j < kScheduleJobs; ++j) {
      words.push_back(plan.interval_us[j] / std::max(1u, plan.per_turn[j] * plan.load));
    }
  }
  if (!words.empty()) write(system.sorted ? start.user_at : start.shared_at, words);
  ScheduleOutcome outcome;
  const std::clock_t begin = std::clock();
  outcome.ms = machine_.run(plan, options_.seconds);
  outcome.cpu_ms = 1000.0 * double(std::clock() - begin) / CLOCKS_PER_SEC;
  uint32_t numbers[4];
  machine_.download(numbers, plan.begun, sizeof numbers);
  uint64_t span[2];
  machine_.download(span, plan.span_ns, sizeof span);
  if (outcome.ms >= 0 && span[1] > span[0]) outcome.ms = double(span[1] - span[0]) / 1e6;
  outcome.log.resize(std::min(numbers[0], plan.limit));
  if (!outcome.log.empty()) {
    machine_.download(outcome.log.data(), plan.log, outcome.log.size() * sizeof(TaskRecord));
  }
  outcome.made = numbers[1];
  outcome.refused = numbers[2];
  return outcome;
}

ScheduleOutcome ScheduleRunner::repeat(const SchedulePlan& plan, const ScheduleSystem& system, ScheduleMeasurement& m,
                                       uint32_t runs) {
  std::vector<double> ms;
  ScheduleOutcome last;
  for (uint32_t i = 0; i < (runs > 0 ? runs : options_.runs); ++i) {
    last = run(plan, system);
    ms.push_back(last.ms);
    if (last.ms < 0) break;
  }
  set_times(m, ms, options_.seconds);
  m.refused = last.refused;
  return last;
}

double ScheduleRunner::time_without_queues(uint32_t adds, uint32_t reads, uint32_t tasks) {
  SchedulePlan plan = plan_of(kPlainQueue, ScheduleWork::direct, adds, reads);
  plan.limit = tasks;
  double least = 1e30;
  for (uint32_t i = 0; i < options_.runs; ++i) {
    const double ms = run(plan, kPlainQueue).ms;
    if (ms > 0) least = std::min(least, ms);
  }
  return least;
}

double ScheduleRunner::ns_per_add() {
  if (ns_per_add_ == 0) {
    SchedulePlan plan = plan_of(kPlainQueue, ScheduleWork::direct, 1u << 20, 0);
    plan.crew.warps = 1;
    plan.limit = 4;
    ns_per_add_ = std::max(1e-3, run(plan, kPlainQueue).ms * 1e6 / (4.0 * (1u << 20)));
  }
  return ns_per_add_;
}

}  // namespace brokkr::lab
