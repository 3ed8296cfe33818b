#include "lab/schedule_experiments.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "lab/experiment_run.h"

namespace brokkr::lab {
namespace {

constexpr std::array<ScheduleExperiment, 4> kExperiments = {{
    {"quotas", "5.6", "shares of time of five processes with quotas of 7, 13, 20, 27 and 33 %"},
    {"deadlines", "5.7", "tasks of six jobs on time, as the load grows"},
    {"accuracy", "5.8", "pairs of tasks in the order of their priorities, over the tasks queued at once"},
    {"overhead", "5.9", "time of the same tasks by priority, over that of plain FIFO"},
}};
constexpr uint32_t kQuotas[kScheduleProcesses] = {7, 13, 20, 27, 33};

struct System {
  const char* name;
  ScheduleProgram program;
  uint32_t queues;
  bool sorted;
};
constexpr System kFifo = {"fifo", ScheduleProgram::fifo, 1, false};
constexpr System kFair[] = {kFifo,
                            {"sorted bucket", ScheduleProgram::fair_sorted, 1, true},
                            {"separate buckets", ScheduleProgram::fair_buckets, 5, false}};
constexpr System kByPriority[] = {
    kFifo,
    {"sorted queue", ScheduleProgram::priority_sorted, 1, true},
    {"16 buckets", ScheduleProgram::buckets16, 16, false},
    {"128 buckets", ScheduleProgram::buckets128, 128, false},
    {"128 buckets, one lane", ScheduleProgram::buckets128_one_lane, 128, false}};
constexpr System kByDeadline[] = {kFifo,
                                  {"Sorted", ScheduleProgram::edf_sorted, 1, true},
                                  {"PerJob", ScheduleProgram::edf_per_job, 6, false},
                                  {"Discretized", ScheduleProgram::edf_discretized, 256, false},
                                  {"WrapAroundBuckets", ScheduleProgram::edf_wrap_around, 256, false}};

// What a run left behind.
struct Outcome {
  double ms = -1;     // from the first decision to the last; negative: ended
  double cpu_ms = 0;  // of all threads, with making the first tasks
  std::vector<TaskRecord> log;
  uint32_t made = 0, refused = 0;
};

class Experiments {
 public:
  Experiments(LabMachine& machine, const ScheduleOptions& options, const ScheduleReport& report)
      : machine_(machine), options_(options), report_(report), gpu_(machine.name() == "cuda") {
    workers_ = options.workers;
    if (workers_ == 0) workers_ = gpu_ ? 256u : std::max(2u, std::thread::hardware_concurrency());
    buffer_ = machine.allocate(kScheduleBuffer * sizeof(uint32_t));
  }

  void quotas() {
    for (const auto& [adds, reads] : {std::pair{500u, 5u}, std::pair{8000u, 80u}}) {
      const double direct = time_without_queues(adds, reads, options_.decisions);
      for (const System& system : kFair) {
        SchedulePlan plan = plan_of(system, ScheduleWork::quotas, adds, reads);
        plan.tasks = 1000 * kScheduleProcesses;
        plan.limit = options_.decisions;
        plan.capacity = power_above(plan.tasks + plan.limit);
        std::copy(std::begin(kQuotas), std::end(kQuotas), plan.quota);
        say("quotas: " + std::string(system.name) + ", " + std::to_string(adds) + " multiply-adds");
        ScheduleMeasurement m = measurement("quotas", system, plan);
        const Outcome last = repeat(plan, system, m);
        m.baseline = "no queues";
        if (m.error.empty()) m.overhead = 100 * (*m.min_ms / direct - 1);
        shares(m, last.log);
      }
    }
  }

  void deadlines() {
    std::vector<uint32_t> loads = {1, 4, 8, 16, 24, 32, 40, 48, 64, 96, 128};
    if (options_.quick) loads = {1, 32};
    for (const System& system : kByDeadline) {
      for (const uint32_t load : loads) {
        SchedulePlan plan = plan_of(system, ScheduleWork::deadlines, 0, 0);
        plan.crew.warps = workers_ + (system.sorted ? 2 : 1);  // and one that makes tasks
        plan.load = load;
        plan.duration_us = options_.quick ? 100000 : 1200000;
        // Ten times the thesis': a CPU's time slices are milliseconds.
        const uint32_t interval[] = {10000, 20000, 30000, 40000, 60000, 80000}, turn[] = {1, 2, 3, 4, 2, 1};
        std::copy(std::begin(interval), std::end(interval), plan.interval_us);
        std::copy(std::begin(turn), std::end(turn), plan.per_turn);
        // At load 1, 4.5 tasks in ten milliseconds take a fortieth of the workers' time.
        const double task_ns = double(workers_) * 1e7 / 40 / 4.46;
        plan.multiply_adds = uint32_t(task_ns / ns_per_add());
        plan.memory_operations = plan.multiply_adds / 100;
        plan.limit = uint32_t(0.46 * load * plan.duration_us / 1000) + 64 * load;
        plan.capacity =
            power_above(std::max<uint64_t>(1024, system.queues > 6 ? plan.limit / 4 : plan.limit));
        say("deadlines: " + std::string(system.name) + ", load " + std::to_string(load));
        ScheduleMeasurement m = measurement("deadlines", system, plan);
        m.load = load;
        lateness(m, repeat(plan, system, m, 1));
      }
    }
  }

  void accuracy() {
    for (const auto& [adds, reads] : {std::pair{256u, 1u}, std::pair{4096u, 16u}}) {
      for (const System& system : kByPriority) {
        if (system.program == ScheduleProgram::buckets128_one_lane) continue;
        for (uint32_t w = 100; w <= options_.most_tasks; w *= 10) {
          if (options_.quick && w > 1000) break;
          SchedulePlan plan = priority_plan(system, adds, reads, w);
          say("accuracy: " + std::string(system.name) + ", " + std::to_string(w) + " tasks queued");
          ScheduleMeasurement m = measurement("accuracy", system, plan);
          const Outcome last = repeat(plan, system, m, w > 100000 ? 1 : options_.runs);
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
      for (const System& system : kByPriority) {
        plans.push_back(priority_plan(system, adds, reads, 10000));
        plans.back().limit = options_.quick ? 2000 : 20000;
        all.push_back(measurement("overhead", system, plans.back()));
        all.back().decisions = plans.back().limit;
        all.back().baseline = "fifo";
      }
      // Turn and turn about: what else the computer does falls on all of them.
      std::vector<std::vector<double>> ms(all.size());
      std::vector<double> least(all.size());
      const uint32_t rounds = options_.quick ? 1 : 5 * options_.runs;
      for (uint32_t round = 0; round < rounds; ++round) {
        for (size_t i = 0; i < all.size(); ++i) {
          say("overhead: " + all[i].system + ", " + std::to_string(adds) + " multiply-adds, round " +
              std::to_string(round + 1));
          const Outcome outcome = run(plans[i], kByPriority[i]);
          ms[i].push_back(outcome.ms);
          // What other programs take of a CPU is not in the time of its threads.
          const double time = gpu_ ? outcome.ms : outcome.cpu_ms;
          if (round == 0 || time < least[i]) least[i] = time;
        }
      }
      for (size_t i = 0; i < all.size(); ++i) set_times(all[i], ms[i]);
      for (size_t i = 0; i < all.size(); ++i) {
        if (all[i].error.empty() && all[0].error.empty()) all[i].overhead = 100 * (least[i] / least[0] - 1);
        report_.measured(all[i]);
      }
    }
  }

 private:
  LabMachine& machine_;
  const ScheduleOptions& options_;
  const ScheduleReport& report_;
  bool gpu_;
  uint32_t workers_;
  std::shared_ptr<void> buffer_;
  double ns_per_add_ = 0;

  void say(const std::string& what) { report_.progress(what); }

  SchedulePlan plan_of(const System& system, ScheduleWork work, uint32_t adds, uint32_t reads) {
    SchedulePlan plan;
    plan.program = system.program;
    plan.work = work;
    // One that sorts comes on top: all systems have as many to run tasks (of 88 blocks of the thesis' GPU,
    // one sorted).
    plan.crew.warps = workers_ + (system.sorted ? 1 : 0);
    plan.multiply_adds = adds;
    plan.memory_operations = reads;
    plan.seed = options_.seed;
    plan.buffer = static_cast<uint32_t*>(buffer_.get());
    plan.abort = machine_.abort_word();
    return plan;
  }
  SchedulePlan priority_plan(const System& system, uint32_t adds, uint32_t reads, uint32_t tasks) {
    SchedulePlan plan = plan_of(system, ScheduleWork::priorities, adds, reads);
    plan.tasks = tasks;
    plan.limit = std::clamp(tasks, 10000u, 1000000u) / (options_.quick ? 5 : 1);
    // Whatever a queue gets in all fits.
    plan.capacity = power_above((uint64_t(plan.tasks) + plan.limit) / system.queues * 5 / 4 + 1024);
    return plan;
  }
  ScheduleMeasurement measurement(const char* experiment, const System& system, const SchedulePlan& plan) {
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

  Outcome run(SchedulePlan plan, const System& system) {
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
    Outcome outcome;
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
  void set_times(ScheduleMeasurement& m, const std::vector<double>& ms) {
    m.min_ms = *std::min_element(ms.begin(), ms.end());
    m.max_ms = *std::max_element(ms.begin(), ms.end());
    m.mean_ms = std::accumulate(ms.begin(), ms.end(), 0.0) / double(ms.size());
    if (*m.min_ms < 0) m.error = "ended after " + std::to_string(int(options_.seconds)) + " s";
  }
  // The last run's outcome.
  Outcome repeat(const SchedulePlan& plan, const System& system, ScheduleMeasurement& m, uint32_t runs = 0) {
    std::vector<double> ms;
    Outcome last;
    for (uint32_t i = 0; i < (runs > 0 ? runs : options_.runs); ++i) {
      last = run(plan, system);
      ms.push_back(last.ms);
      if (last.ms < 0) break;
    }
    set_times(m, ms);
    m.refused = last.refused;
    return last;
  }
  double time_without_queues(uint32_t adds, uint32_t reads, uint32_t tasks) {
    SchedulePlan plan = plan_of(kFifo, ScheduleWork::direct, adds, reads);
    plan.limit = tasks;
    double least = 1e30;
    for (uint32_t i = 0; i < options_.runs; ++i) {
      const double ms = run(plan, kFifo).ms;
      if (ms > 0) least = std::min(least, ms);
    }
    return least;
  }
  double ns_per_add() {
    if (ns_per_add_ == 0) {
      SchedulePlan plan = plan_of(kFifo, ScheduleWork::direct, 1u << 20, 0);
      plan.crew.warps = 1;
      plan.limit = 4;
      ns_per_add_ = std::max(1e-3, run(plan, kFifo).ms * 1e6 / (4.0 * (1u << 20)));
    }
    return ns_per_add_;
  }

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
  void lateness(ScheduleMeasurement m, const Outcome& outcome) {
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
      m.on_time = 100.0 * in_time / outcome.made;  // what was refused is not
      m.late_ms = sum / double(outcome.log.size()) / 1000;
      m.least_late_ms = least / 1000;
      m.most_late_ms = most / 1000;
    }
    report_.measured(m);
  }
};

std::string number(const std::optional<double>& value) {
  if (!value) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", *value);
  return text;
}
std::string whole(const std::optional<uint32_t>& value) { return value ? std::to_string(*value) : ""; }

}  // namespace

std::span<const ScheduleExperiment> schedule_experiments() { return kExperiments; }

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
    add(place(uint32_t(tasks + i)), 1);  // what it made begins after it
  }
  return all > 0 ? 100.0 * double(right) / double(all) : 100;
}

std::vector<std::string> schedule_columns() {
  return {"experiment",
          "machine",
          "detail",
          "system",
          "workers",
          "multiply_adds",
          "memory_operations",
          "tasks",
          "load",
          "decisions",
          "process",
          "quota",
          "share",
          "on_time",
          "late_ms",
          "least_late_ms",
          "most_late_ms",
          "accuracy",
          "mean_ms",
          "min_ms",
          "max_ms",
          "overhead",
          "baseline",
          "refused",
          "error"};
}

std::vector<std::string> schedule_cells(const ScheduleMeasurement& m) {
  return {m.experiment,
          m.machine,
          m.detail,
          m.system,
          std::to_string(m.workers),
          std::to_string(m.multiply_adds),
          std::to_string(m.memory_operations),
          std::to_string(m.tasks),
          whole(m.load),
          whole(m.decisions),
          whole(m.process),
          number(m.quota),
          number(m.share),
          number(m.on_time),
          number(m.late_ms),
          number(m.least_late_ms),
          number(m.most_late_ms),
          number(m.accuracy),
          number(m.mean_ms),
          number(m.min_ms),
          number(m.max_ms),
          number(m.overhead),
          m.baseline,
          std::to_string(m.refused),
          m.error};
}

void run_schedule_experiment(const std::string& name, LabMachine& machine, const ScheduleOptions& options,
                             const ScheduleReport& report) {
  if (options.runs < 1 || options.decisions < 100 || options.most_tasks < 100) {
    throw std::invalid_argument("schedule experiment: needs a run, 100 decisions and 100 tasks at least");
  }
  if (options.workers == 1) {
    throw std::invalid_argument("schedule experiment: one worker alone would only sort; give 2 or more");
  }
  Experiments all(machine, options, report);
  if (name == "quotas") return all.quotas();
  if (name == "deadlines") return all.deadlines();
  if (name == "accuracy") return all.accuracy();
  if (name == "overhead") return all.overhead();
  throw std::invalid_argument("schedule experiment: there is no '" + name + "'");
}

}  // namespace brokkr::lab
