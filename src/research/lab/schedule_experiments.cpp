#include "lab/experiment.h"

#include <algorithm>
#include <ctime>
#include <stdexcept>

#include "base/processors.h"

namespace brokkr::lab {
namespace {

// A scheduling system that an experiment measures.
struct System {
  const char* name;
  ScheduleProgram program;
  uint32_t queues;
  uint32_t sorters;  // additional workers that keep its queue sorted
};
constexpr uint32_t kQuotas[kScheduleProcesses] = {7, 13, 20, 27, 33};
// Sorting workers in the experiment with accuracy. On a GPU they are 32 to 1024 threads, as in [Kerbl18, Fig. 5.8].
constexpr uint32_t kSortersOnCpu[] = {1, 2, 4, 8}, kSortersOnGpu[] = {1, 4, 16, 32};

constexpr System kPlainQueue = {"fifo", ScheduleProgram::fifo, 1, 0};
constexpr System kFair[] = {kPlainQueue,
                            {"sorted bucket", ScheduleProgram::fair_sorted, 1, 1},
                            {"separate buckets", ScheduleProgram::fair_buckets, 5, 0},
                            {"Softshell", ScheduleProgram::softshell_fair, 1, 1}};
constexpr System kByPriority[] = {kPlainQueue,
                                  {"sorted queue", ScheduleProgram::priority_sorted, 1, 1},
                                  {"Softshell", ScheduleProgram::softshell_priority, 1, 1},
                                  {"16 buckets", ScheduleProgram::buckets16, 16, 0},
                                  {"128 buckets", ScheduleProgram::buckets128, 128, 0},
                                  {"128 buckets, one lane", ScheduleProgram::buckets128_one_lane, 128, 0}};
constexpr System kByDeadline[] = {kPlainQueue,
                                  {"Sorted", ScheduleProgram::edf_sorted, 1, 1},
                                  {"PerJob", ScheduleProgram::edf_per_job, 6, 0},
                                  {"Discretized", ScheduleProgram::edf_discretized, 256, 0},
                                  {"WrapAroundBuckets", ScheduleProgram::edf_wrap_around, 256, 0},
                                  {"Softshell", ScheduleProgram::softshell_edf, 1, 1}};

// A job of the experiment with deadlines: `turn` tasks every `interval_us`, each of `task_us` on average.
struct Job {
  uint32_t interval_us, turn, task_us;
};
// The jobs of [Kerbl18, 5.3.4]: six jobs, with intervals of 1 to 8 ms and 1 to 4 tasks of 0.1 to 3.9 ms; a task draws
// 0.5 to 1.5 times the mean. We chose which job has which of these values. At load 31 they use all of the workers'
// time.
constexpr Job kJobs[kScheduleJobs] = {{1000, 1, 200},  {2000, 2, 300},  {3000, 3, 500},
                                      {4000, 4, 1000}, {6000, 2, 1500}, {8000, 1, 2600}};

// A task's mean multiply-adds and memory operations.
struct Work {
  uint32_t adds, reads;
};

// The results of a run.
struct RunResult {
  double ms = -1;     // from the first decision to the last; negative if the run was aborted
  double cpu_ms = 0;  // processor time of all threads, including creation of the first tasks
  std::vector<TaskRecord> log;
  uint32_t made = 0, refused = 0;
  Times times;  // over all runs, if there were several
};

// Builds the plans of an experiment's configurations, and runs them.
class Bench {
 public:
  explicit Bench(const LabRun& run)
      : run_(run), workers_(run.options.workers), buffer_(run.machine, size_t(kScheduleBuffer)) {
    // Task times in the experiment with deadlines are relative to the number of workers, so few workers suffice for a
    // quick run, even if a GPU is interpreted.
    const uint32_t usual = run.machine.is_gpu() ? (run.options.quick ? 8 : 256) : uint32_t(usable_processors());
    if (workers_ == 0) workers_ = std::max(2u, usual);
  }
  uint32_t workers() const { return workers_; }  // workers that run tasks

  SchedulePlan plan_of(const System& system, ScheduleWork kind, const Work& work) const {
    SchedulePlan plan;
    plan.program = system.program;
    plan.work = kind;
    // Sorting workers are additional, so that all systems have the same number of workers that run tasks. (In
    // [Kerbl18], one of 88 blocks sorted.)
    plan.sorters = system.sorters;
    plan.crew.warps = workers_ + system.sorters;
    plan.multiply_adds = work.adds;
    plan.memory_operations = work.reads;
    plan.seed = run_.options.seed;
    plan.buffer = buffer_.data();
    plan.abort = run_.machine.abort_word();
    return plan;
  }
  // A plan with `tasks` tasks of random priorities, and room for all tasks that these create.
  SchedulePlan priority_plan(const System& system, const Work& work, uint32_t tasks) const {
    SchedulePlan plan = plan_of(system, ScheduleWork::priorities, work);
    plan.tasks = tasks;
    plan.limit = std::clamp(tasks, 10000u, 200000u) / (run_.options.quick ? 5 : 1);
    // A queue has room for all elements that it ever receives.
    plan.capacity = power_above((uint64_t(plan.tasks) + plan.limit) / system.queues * 5 / 4 + 1024);
    // Softshell's queue also has memory for packages, and needs room only for those that exist at the same time.
    if (system.program == ScheduleProgram::softshell_priority)
      plan.capacity = power_above(uint64_t(tasks) * 5 / 4 + 1024);
    return plan;
  }
  // Starts the row of a plan.
  Record start(const System& system, const SchedulePlan& plan, const std::string& what) const {
    run_.progress(run_.table.name + ": " + system.name + ", " + what);
    Record m;
    set_where(run_, m);
    m.set("system", system.name).set("workers", plan.crew.warps).set("multiply_adds", plan.multiply_adds);
    m.set("sorting_threads", plan.sorters * run_.machine.width());
    return m.set("memory_operations", plan.memory_operations).set("tasks", plan.tasks).set("refused", 0);
  }

  RunResult run(SchedulePlan plan, const System& system) const;
  // Runs the plan several times and sets the times in m. Returns the results of the last run.
  RunResult repeated(const SchedulePlan& plan, const System& system, Record& m, uint32_t runs) const {
    RunResult last;
    const Times times = repeat(run_, m, runs, [&](uint32_t) {
      last = run(plan, system);
      return last.ms;
    });
    last.times = times;
    m.set("refused", last.refused);
    return last;
  }

  // The minimum time in ms of `tasks` tasks that run without any queue.
  double time_without_queues(const Work& work, uint32_t tasks) const {
    SchedulePlan plan = plan_of(kPlainQueue, ScheduleWork::direct, work);
    plan.limit = tasks;
    double least = 1e30;
    for (uint32_t i = 0; i < run_.options.runs; ++i) {
      const double ms = run(plan, kPlainQueue).ms;
      if (ms > 0) least = std::min(least, ms);
    }
    return least;
  }
  double ns_per_add() const {  // for one worker
    SchedulePlan plan = plan_of(kPlainQueue, ScheduleWork::direct, {1u << 20, 0});
    plan.crew.warps = 1;
    plan.limit = 4;
    return std::max(1e-3, run(plan, kPlainQueue).ms * 1e6 / (4.0 * (1u << 20)));
  }

 private:
  const LabRun& run_;
  uint32_t workers_;
  LabArray<uint32_t> buffer_;
};

RunResult Bench::run(SchedulePlan plan, const System& system) const {
  LabMachine& machine = run_.machine;
  const ProgramKernel& program = machine.kernels.program[size_t(plan.program)];
  // More workers would wait for warps that never run.
  if (const uint32_t most = machine.max_warps(program.run.on_gpu); plan.crew.warps > most) {
    throw std::invalid_argument("--workers: " + std::to_string(plan.crew.warps) +
                                " warps with those that sort; machine " + machine.name + " runs at most " +
                                std::to_string(most) + " at once");
  }
  const ProgramStart start = program.start(plan);
  const HeldMemory log_memory(run_.options.budget, uint64_t(plan.limit) * sizeof(TaskRecord), "log");
  const LabArray<std::byte> memory(machine, start.bytes);
  const LabArray<TaskRecord> log(machine, plan.limit);
  const LabArray<uint32_t> begun(machine, 4);
  const LabArray<uint64_t> span(machine, 2);
  plan.memory = memory.data();
  plan.log = log.data();
  plan.begun = begun.data();
  plan.span_ns = span.data();
  machine.upload(plan.memory + start.open_at, &plan.crew.warps, sizeof plan.crew.warps);
  std::vector<uint64_t> words;
  if (plan.work == ScheduleWork::quotas && plan.program != ScheduleProgram::fifo) {
    words.assign(kScheduleProcesses, 0);
    words.insert(words.end(), std::begin(plan.quota), std::end(plan.quota));
  } else if (plan.program == ScheduleProgram::edf_per_job) {
    words.assign(kScheduleJobs, 0);
    // Tasks of a turn share a deadline, and turns are an interval apart: evenly spaced on average.
    for (uint32_t j = 0; j < kScheduleJobs; ++j) {
      const double per_turn = double(plan.per_turn[j]) * plan.load * plan.job_workers / kThesisBlocks;
      words.push_back(uint64_t(plan.interval_us[j] / per_turn));
    }
  }
  if (!words.empty()) {
    const size_t at = system.sorters > 0 ? start.user_at : start.shared_at;
    machine.upload(plan.memory + at, words.data(), words.size() * sizeof(uint64_t));
  }
  RunResult result;
  const std::clock_t begin = std::clock();
  result.ms = machine.run(program.run, plan, run_.options.seconds);
  result.cpu_ms = 1000.0 * double(std::clock() - begin) / CLOCKS_PER_SEC;
  const std::vector<uint32_t> numbers = begun.values(0, 4);
  const std::vector<uint64_t> ns = span.values(0, 2);
  if (result.ms >= 0 && ns[1] > ns[0]) result.ms = double(ns[1] - ns[0]) / 1e6;
  result.log = log.values(0, std::min(numbers[0], plan.limit));
  result.made = numbers[1];
  result.refused = numbers[2];
  return result;
}

// Adds one row with the shares of time after each 1/50 of the decisions.
void add_shares(const LabRun& run, Record& m, const std::vector<TaskRecord>& log) {
  double time[kScheduleProcesses] = {}, total = 0;
  const size_t step = std::max<size_t>(1, log.size() / 50);
  if (log.empty()) run.table.add(m);
  for (size_t i = 0; i < log.size(); ++i) {
    time[log[i].key % kScheduleProcesses] += log[i].ns;
    total += log[i].ns;
    if ((i + 1) % step != 0 && i + 1 != log.size()) continue;
    for (uint32_t p = 0; p < kScheduleProcesses; ++p) {
      m.set("decisions", i + 1).set("process", p).set("quota", kQuotas[p]);
      run.table.add(m.set("share", total > 0 ? 100 * time[p] / total : 0));
    }
  }
}

void quotas(const LabRun& run) {
  const Bench bench(run);
  for (const Work& work : {Work{500, 5}, Work{8000, 80}}) {
    const double direct = bench.time_without_queues(work, run.options.decisions);
    for (const System& system : kFair) {
      SchedulePlan plan = bench.plan_of(system, ScheduleWork::quotas, work);
      plan.tasks = 1000 * kScheduleProcesses;
      plan.limit = run.options.decisions;
      plan.capacity = power_above(plan.tasks + plan.limit);
      std::copy(std::begin(kQuotas), std::end(kQuotas), plan.quota);
      Record m = bench.start(system, plan, std::to_string(work.adds) + " multiply-adds");
      const RunResult last = bench.repeated(plan, system, m, run.options.runs);
      m.set("baseline", "no queues");
      if (!m.failed()) m.set("overhead", 100 * (last.times.least / direct - 1));
      add_shares(run, m, last.log);
    }
  }
}

// The lateness of a run's tasks.
void set_lateness(Record& m, const RunResult& result) {
  m.set("tasks", result.made);
  if (result.log.empty() || result.made == 0) return;
  double sum = 0;
  uint32_t in_time = 0;
  for (const TaskRecord& r : result.log) {
    in_time += r.late_us <= 0;
    sum += r.late_us;
  }
  const auto [least, most] = std::minmax_element(result.log.begin(), result.log.end(),
                                                 [](const auto& a, const auto& b) { return a.late_us < b.late_us; });
  m.set("on_time", 100.0 * in_time / result.made);  // refused tasks count as late
  m.set("late_ms", sum / double(result.log.size()) / 1000);
  m.set("least_late_ms", least->late_us / 1000.0).set("most_late_ms", most->late_us / 1000.0);
}

// A plan in which the tasks of jobs take the times of kJobs on one worker.
SchedulePlan deadline_plan(const Bench& bench, const System& system, uint32_t load, double ns_per_add) {
  SchedulePlan plan = bench.plan_of(system, ScheduleWork::deadlines, {});
  plan.crew.warps += 1;  // one more worker, which creates tasks
  plan.load = load;
  plan.job_workers = bench.workers();
  for (uint32_t j = 0; j < kScheduleJobs; ++j) {
    plan.interval_us[j] = kJobs[j].interval_us;
    plan.per_turn[j] = kJobs[j].turn;
    plan.job_adds[j] = uint32_t(kJobs[j].task_us * 1000 / ns_per_add);
    plan.job_reads[j] = plan.job_adds[j] / 100;
  }
  return plan;
}

void deadlines(const LabRun& run) {
  const Bench bench(run);
  const double ns_per_add = bench.ns_per_add();
  std::vector<uint32_t> loads = {1, 4, 8, 16, 24, 32, 40, 48, 64, 96, 128};
  if (run.options.quick) loads = {4, 32};
  for (const System& system : kByDeadline) {
    for (const uint32_t load : loads) {
      SchedulePlan plan = deadline_plan(bench, system, load, ns_per_add);
      plan.duration_us = run.options.quick ? 40000 : 600000;
      // 4.46 tasks per millisecond at load 1, plus some for incomplete turns.
      plan.limit = uint32_t(4.6 * load * bench.workers() / kThesisBlocks * plan.duration_us / 1000) + 1024;
      plan.capacity = power_above(std::max<uint64_t>(1024, system.queues > 6 ? plan.limit / 4 : plan.limit));
      Record m = bench.start(system, plan, "load " + std::to_string(load));
      m.set("load", load);
      set_lateness(m, bench.repeated(plan, system, m, 1));
      run.table.add(m);
    }
  }
}

// The systems with priorities. Systems that sort appear once for each number of sorters.
std::vector<System> with_sorters(const LabRun& run) {
  std::vector<System> all;
  for (System system : kByPriority) {
    if (system.program == ScheduleProgram::buckets128_one_lane) continue;
    if (system.sorters == 0) {
      all.push_back(system);
      continue;
    }
    for (size_t i = 0; i < (run.options.quick ? 2 : std::size(kSortersOnCpu)); ++i) {
      system.sorters = (run.machine.is_gpu() ? kSortersOnGpu : kSortersOnCpu)[i];
      all.push_back(system);
    }
  }
  return all;
}

void accuracy(const LabRun& run) {
  const Bench bench(run);
  const uint32_t most = std::min(run.options.max_tasks, run.options.quick ? 1000u : ~0u);
  for (const Work& work : {Work{256, 1}, Work{4096, 16}}) {
    for (const System& system : with_sorters(run)) {
      for (uint32_t w = 100; w <= most; w *= 10) {
        const SchedulePlan plan = bench.priority_plan(system, work, w);
        Record m = bench.start(system, plan, std::to_string(w) + " tasks queued");
        const RunResult last = bench.repeated(plan, system, m, w > 100000 ? 1 : run.options.runs);
        std::vector<uint32_t> numbers;
        for (const TaskRecord& r : last.log) numbers.push_back(r.number);
        m.set("decisions", numbers.size());
        if (!m.failed()) m.set("accuracy", schedule_accuracy(numbers, w, plan.seed));
        run.table.add(m);
      }
    }
  }
}

void overhead(const LabRun& run) {
  struct Contestant {
    SchedulePlan plan;
    Record m;
    std::vector<double> ms;
    double least = 0;
  };
  const Bench bench(run);
  for (const Work& work : {Work{256, 1}, Work{1024, 4}, Work{4096, 16}, Work{16384, 64}}) {
    if (run.options.quick && work.adds > 1024) break;
    std::vector<Contestant> all;
    for (const System& system : kByPriority) {
      SchedulePlan plan = bench.priority_plan(system, work, 10000);
      plan.limit = run.options.quick ? 2000 : 20000;
      all.push_back({plan, bench.start(system, plan, std::to_string(work.adds) + " multiply-adds"), {}});
      all.back().m.set("decisions", plan.limit).set("baseline", "fifo");
    }
    // Alternates between systems, so that other load of the computer affects all of them.
    const uint32_t rounds = run.options.quick ? 1 : 5 * run.options.runs;
    for (uint32_t round = 0; round < rounds; ++round) {
      run.progress("overhead: " + std::to_string(work.adds) + " multiply-adds, round " + std::to_string(round + 1));
      for (size_t i = 0; i < all.size(); ++i) {
        const RunResult result = bench.run(all[i].plan, kByPriority[i]);
        all[i].ms.push_back(result.ms);
        // Processor time of threads excludes the time that other programs take.
        const double time = run.machine.is_gpu() ? result.ms : result.cpu_ms;
        if (round == 0 || time < all[i].least) all[i].least = time;
      }
    }
    for (Contestant& c : all) {
      set_times(run, c.m, c.ms);
      if (!c.m.failed() && !all[0].m.failed()) c.m.set("overhead", 100 * (c.least / all[0].least - 1));
      run.table.add(c.m);
    }
  }
}

constexpr const char* kScheduleColumns =
    "experiment,machine,detail,lanes,system,workers,sorting_threads,multiply_adds,memory_operations,tasks,load,"
    "decisions,process,quota,"
    "share,"
    "on_time,late_ms,least_late_ms,most_late_ms,accuracy,mean_ms,min_ms,max_ms,overhead,baseline,refused,error";
constexpr Experiment kScheduleExperiments[] = {
    {"quotas", "5.6", "shares of time of five processes with quotas of 7, 13, 20, 27 and 33 %", kScheduleColumns,
     quotas,
     "overheads over launches: 20 % for fifo (Whippletree), less than 2 % more for sorting, 20 to 25 % for Softshell; "
     "separate buckets reach their shares at once"},
    {"deadlines", "5.7", "tasks of six jobs on time, as the load grows", kScheduleColumns, deadlines,
     "misses begin at a load of about 30; WrapAroundBuckets is best; Softshell fails above 1"},
    {"accuracy", "5.8", "pairs of tasks in the order of their priorities, over the tasks queued at once",
     kScheduleColumns, accuracy, "16 buckets up to 94 %, 128 buckets 99 %, fifo 50 %"},
    {"overhead", "5.9", "time of the same tasks by priority, over that of plain FIFO", kScheduleColumns, overhead,
     "Softshell takes up to 10 times fifo's time, one lane 2 times all lanes', 16 buckets nearly nothing more"},
    {"foveated", "", "quality of frames that are cut off, by distance from the fixation point", kFoveatedColumns,
     cut_off<CutOff::foveated>},
    {"views", "", "quality of frames that are cut off, by the priority of their views", kFoveatedColumns,
     cut_off<CutOff::views>},
};

}  // namespace

std::span<const Experiment> schedule_experiments() { return kScheduleExperiments; }

double schedule_accuracy(const std::vector<uint32_t>& numbers, uint32_t tasks, uint32_t seed) {
  if (numbers.empty() || tasks < 2) return 100;
  // Counts queued tasks by priority: a Fenwick tree over the upper 20 bits.
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
    add(place(uint32_t(tasks + i)), 1);  // the task that it created starts later
  }
  return all > 0 ? 100.0 * double(right) / double(all) : 100;
}

}  // namespace brokkr::lab
