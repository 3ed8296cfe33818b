#include "lab/schedule_experiments.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "lab/queue_experiments.h"
#include "lab/result_table.h"
#include "lab/schedule_plan.h"
#include "lab/schedule_run.h"

namespace brokkr::lab {
namespace {

constexpr uint32_t kQuotas[kScheduleProcesses] = {7, 13, 20, 27, 33};

constexpr ScheduleSystem kFair[] = {kPlainQueue,
                                    {"sorted bucket", ScheduleProgram::fair_sorted, 1, true},
                                    {"separate buckets", ScheduleProgram::fair_buckets, 5, false}};
constexpr ScheduleSystem kByPriority[] = {kPlainQueue,
                                          {"sorted queue", ScheduleProgram::priority_sorted, 1, true},
                                          {"16 buckets", ScheduleProgram::buckets16, 16, false},
                                          {"128 buckets", ScheduleProgram::buckets128, 128, false},
                                          {"128 buckets, one lane", ScheduleProgram::buckets128_one_lane, 128, false}};
constexpr ScheduleSystem kByDeadline[] = {kPlainQueue,
                                          {"Sorted", ScheduleProgram::edf_sorted, 1, true},
                                          {"PerJob", ScheduleProgram::edf_per_job, 6, false},
                                          {"Discretized", ScheduleProgram::edf_discretized, 256, false},
                                          {"WrapAroundBuckets", ScheduleProgram::edf_wrap_around, 256, false}};

class Experiments {
 public:
  Experiments(LabMachine& machine, const ScheduleOptions& options, const ScheduleReport& report)
      : options_(options), report_(report), runner_(machine, options) {}

  void quotas() {
    for (const auto& [adds, reads] : {std::pair{500u, 5u}, std::pair{8000u, 80u}}) {
      const double direct = runner_.time_without_queues(adds, reads, options_.decisions);
      for (const ScheduleSystem& system : kFair) {
        SchedulePlan plan = runner_.plan_of(system, ScheduleWork::quotas, adds, reads);
        plan.tasks = 1000 * kScheduleProcesses;
        plan.limit = options_.decisions;
        plan.capacity = power_above(plan.tasks + plan.limit);
        std::copy(std::begin(kQuotas), std::end(kQuotas), plan.quota);
        say("quotas: " + std::string(system.name) + ", " + std::to_string(adds) + " multiply-adds");
        ScheduleMeasurement m = runner_.measurement("quotas", system, plan);
        const ScheduleOutcome last = runner_.repeat(plan, system, m);
        m.baseline = "no queues";
        if (m.error.empty()) m.overhead = 100 * (*m.min_ms / direct - 1);
        shares(m, last.log);
      }
    }
  }

  void deadlines() {
    std::vector<uint32_t> loads = {1, 4, 8, 16, 24, 32, 40, 48, 64, 96, 128};
    if (options_.quick) loads = {1, 32};
    for (const ScheduleSystem& system : kByDeadline) {
      for (const uint32_t load : loads) {
        SchedulePlan plan = runner_.plan_of(system, ScheduleWork::deadlines, 0, 0);
        plan.crew.warps = runner_.workers() + (system.sorted ? 2 : 1);  // and one that makes tasks
        plan.load = load;
        plan.duration_us = options_.quick ? 100000 : 1200000;
        // Ten times the intervals of [Kerbl18], since a CPU's time slices are milliseconds.
        const uint32_t interval[] = {10000, 20000, 30000, 40000, 60000, 80000}, turn[] = {1, 2, 3, 4, 2, 1};
        std::copy(std::begin(interval), std::end(interval), plan.interval_us);
        std::copy(std::begin(turn), std::end(turn), plan.per_turn);
        // At load 1, 4.5 tasks in ten milliseconds take a fortieth of the workers' time.
        const double task_ns = double(runner_.workers()) * 1e7 / 40 / 4.46;
        plan.multiply_adds = uint32_t(task_ns / runner_.ns_per_add());
        plan.memory_operations = plan.multiply_adds / 100;
        plan.limit = uint32_t(0.46 * load * plan.duration_us / 1000) + 64 * load;
        plan.capacity = power_above(std::max<uint64_t>(1024, system.queues > 6 ? plan.limit / 4 : plan.limit));
        say("deadlines: " + std::string(system.name) + ", load " + std::to_string(load));
        ScheduleMeasurement m = runner_.measurement("deadlines", system, plan);
        m.load = load;
        lateness(m, runner_.repeat(plan, system, m, 1));
      }
    }
  }

  void accuracy() {
    for (const auto& [adds, reads] : {std::pair{256u, 1u}, std::pair{4096u, 16u}}) {
      for (const ScheduleSystem& system : kByPriority) {
        if (system.program == ScheduleProgram::buckets128_one_lane) continue;
        for (uint32_t w = 100; w <= options_.most_tasks; w *= 10) {
          if (options_.quick && w > 1000) break;
          SchedulePlan plan = runner_.priority_plan(system, adds, reads, w);
          say("accuracy: " + std::string(system.name) + ", " + std::to_string(w) + " tasks queued");
          ScheduleMeasurement m = runner_.measurement("accuracy", system, plan);
          const ScheduleOutcome last = runner_.repeat(plan, system, m, w > 100000 ? 1 : options_.runs);
          std::vector<uint32_t> numbers;
          for (const TaskRecord& r : last.log) numbers.push_back(r.number);
          m.decisions = uint32_t(numbers.size());
          if (m.error.empty()) m.accuracy = schedule_accuracy(numbers, w, plan.seed);
          report_.measured(m);
        }
      }
    }
  }

  void overhead() {
    for (const auto& [adds, reads] :
         {std::pair{256u, 1u}, std::pair{1024u, 4u}, std::pair{4096u, 16u}, std::pair{16384u, 64u}}) {
      if (options_.quick && adds > 1024) break;
      std::vector<ScheduleMeasurement> all;
      std::vector<SchedulePlan> plans;
      for (const ScheduleSystem& system : kByPriority) {
        plans.push_back(runner_.priority_plan(system, adds, reads, 10000));
        plans.back().limit = options_.quick ? 2000 : 20000;
        all.push_back(runner_.measurement("overhead", system, plans.back()));
        all.back().decisions = plans.back().limit;
        all.back().baseline = "fifo";
      }
      // In turns, so that other load of the computer affects all of them.
      std::vector<std::vector<double>> ms(all.size());
      std::vector<double> least(all.size());
      const uint32_t rounds = options_.quick ? 1 : 5 * options_.runs;
      for (uint32_t round = 0; round < rounds; ++round) {
        for (size_t i = 0; i < all.size(); ++i) {
          say("overhead: " + all[i].system + ", " + std::to_string(adds) + " multiply-adds, round " +
              std::to_string(round + 1));
          const ScheduleOutcome outcome = runner_.run(plans[i], kByPriority[i]);
          ms[i].push_back(outcome.ms);
          // The processor time of threads does not contain the time that other programs take.
          const double time = runner_.gpu() ? outcome.ms : outcome.cpu_ms;
          if (round == 0 || time < least[i]) least[i] = time;
        }
      }
      for (size_t i = 0; i < all.size(); ++i) set_times(all[i], ms[i], options_.seconds);
      for (size_t i = 0; i < all.size(); ++i) {
        if (all[i].error.empty() && all[0].error.empty()) all[i].overhead = 100 * (least[i] / least[0] - 1);
        report_.measured(all[i]);
      }
    }
  }

 private:
  const ScheduleOptions& options_;
  const ScheduleReport& report_;
  ScheduleRunner runner_;

  void say(const std::string& what) { report_.progress(what); }

  // Shares of time after 1/50, 2/50, ... of the decisions, one line each.
  void shares(ScheduleMeasurement m, const std::vector<TaskRecord>& log) {
    double time[kScheduleProcesses] = {}, total = 0;
    const size_t step = std::max<size_t>(1, log.size() / 50);
    if (log.empty()) report_.measured(m);
    for (size_t i = 0; i < log.size(); ++i) {
      time[log[i].key % kScheduleProcesses] += log[i].ns;
      total += log[i].ns;
      if ((i + 1) % step != 0 && i + 1 != log.size()) continue;
      m.decisions = uint32_t(i + 1);
      for (uint32_t p = 0; p < kScheduleProcesses; ++p) {
        m.process = p;
        m.quota = kQuotas[p];
        m.share = total > 0 ? 100 * time[p] / total : 0;
        report_.measured(m);
      }
    }
  }
  void lateness(ScheduleMeasurement m, const ScheduleOutcome& outcome) {
    m.tasks = outcome.made;
    if (!outcome.log.empty() && outcome.made > 0) {
      double sum = 0, least = 1e30, most = -1e30;
      uint32_t in_time = 0;
      for (const TaskRecord& r : outcome.log) {
        in_time += r.late_us <= 0;
        sum += r.late_us;
        least = std::min(least, double(r.late_us));
        most = std::max(most, double(r.late_us));
      }
      m.on_time = 100.0 * in_time / outcome.made;  // refused tasks count as late
      m.late_ms = sum / double(outcome.log.size()) / 1000;
      m.least_late_ms = least / 1000;
      m.most_late_ms = most / 1000;
    }
    report_.measured(m);
  }
};

template <auto experiment>
void run(LabMachine& machine, const ScheduleOptions& options, const ScheduleReport& report) {
  (Experiments(machine, options, report).*experiment)();
}

constexpr std::array<ScheduleExperiment, 4> kExperiments = {{
    {"quotas", "5.6", "shares of time of five processes with quotas of 7, 13, 20, 27 and 33 %",
     run<&Experiments::quotas>},
    {"deadlines", "5.7", "tasks of six jobs on time, as the load grows", run<&Experiments::deadlines>},
    {"accuracy", "5.8", "pairs of tasks in the order of their priorities, over the tasks queued at once",
     run<&Experiments::accuracy>},
    {"overhead", "5.9", "time of the same tasks by priority, over that of plain FIFO", run<&Experiments::overhead>},
}};

}  // namespace

std::span<const ScheduleExperiment> schedule_experiments() { return kExperiments; }

std::vector<std::string> schedule_columns() {
  return {"experiment", "machine",       "detail",       "system",   "workers", "multiply_adds", "memory_operations",
          "tasks",      "load",          "decisions",    "process",  "quota",   "share",         "on_time",
          "late_ms",    "least_late_ms", "most_late_ms", "accuracy", "mean_ms", "min_ms",        "max_ms",
          "overhead",   "baseline",      "refused",      "error"};
}

std::vector<std::string> schedule_cells(const ScheduleMeasurement& m) {
  return row(m.experiment, m.machine, m.detail, m.system, m.workers, m.multiply_adds, m.memory_operations, m.tasks,
             m.load, m.decisions, m.process, m.quota, m.share, m.on_time, m.late_ms, m.least_late_ms, m.most_late_ms,
             m.accuracy, m.mean_ms, m.min_ms, m.max_ms, m.overhead, m.baseline, m.refused, m.error);
}

void run_schedule_experiment(const std::string& name, LabMachine& machine, const ScheduleOptions& options,
                             const ScheduleReport& report) {
  if (options.runs < 1 || options.decisions < 100 || options.most_tasks < 100) {
    throw std::invalid_argument("schedule experiment: needs a run, 100 decisions and 100 tasks at least");
  }
  if (options.workers == 1) {
    throw std::invalid_argument("schedule experiment: one worker alone would only sort; give 2 or more");
  }
  for (const ScheduleExperiment& e : kExperiments) {
    if (name == e.name) return e.run(machine, options, report);
  }
  throw std::invalid_argument("schedule experiment: there is no '" + name + "'");
}

double schedule_accuracy(const std::vector<uint32_t>& numbers, uint32_t tasks, uint32_t seed) {
  if (numbers.empty() || tasks < 2) return 100;
  // Queued tasks by priority: a Fenwick tree over its upper 20 bits.
  constexpr uint32_t kBits = 20, kSize = 1u << kBits;
  std::vector<int32_t> tree(kSize + 1);
  const auto place = [&](uint32_t n) { return (drawn_priority(n, seed) >> (24 - kBits)) + 1; };
  const auto add = [&](uint32_t at, int32_t n) {
    for (; at <= kSize; at += at & (0u - at)) tree[at] += n;
  };
  const auto below_or_equal = [&](uint32_t at) {
    int64_t sum = 0;
    for (; at > 0; at -= at & (0u - at)) sum += tree[at];
    return sum;
  };
  for (uint32_t n = 0; n < tasks; ++n) add(place(n), 1);
  int64_t right = 0, all = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const uint32_t n = numbers[i];
    add(place(n), -1);
    right += below_or_equal(place(n));
    all += tasks - 1;
    add(place(uint32_t(tasks + i)), 1);  // the task that it made begins after it
  }
  return all > 0 ? 100.0 * double(right) / double(all) : 100;
}

}  // namespace brokkr::lab
