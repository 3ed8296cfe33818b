// The scheduling experiments run with every system on every machine of this build, and their numbers are consistent.
#include "lab/experiment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "brokkr/load.h"
#include "each_machine.h"

namespace brokkr::lab {
namespace {

std::vector<Cells> measure(const std::string& experiment, const std::string& machine) {
  LabOptions options;
  options.quick = true;
  options.runs = 1;
  options.decisions = 2000;
  options.max_tasks = 1000;
  const auto on = make_lab_machine(machine);
  const std::vector<Cells> all =
      cells_of(run_experiment(schedule_experiments(), experiment, *on, options, [](const auto&) {}));
  for (const Cells& m : all) {
    EXPECT_EQ(m.at("error"), "") << m.at("system");
    EXPECT_EQ(m.at("refused"), "0") << m.at("system");
  }
  return all;
}

using ScheduleExperiments = EachMachine;

TEST_P(ScheduleExperiments, SeparateBucketsKeepTheirQuotas) {
  std::set<std::string> systems;
  for (const Cells& m : measure("quotas", GetParam())) {
    systems.insert(m.at("system"));
    // All tasks of the 2000 decisions have 8000 multiply-adds; an interrupted task hardly changes the sum.
    if (m.at("system") == "separate buckets" && m.at("decisions") == "2000" && m.at("multiply_adds") == "8000") {
      EXPECT_NEAR(m.number("share"), m.number("quota"), 5.0) << "process " << m.at("process");
    }
  }
  EXPECT_EQ(systems, (std::set<std::string>{"fifo", "sorted bucket", "separate buckets", "Softshell"}));
}

TEST_P(ScheduleExperiments, BucketsOrderByPriority) {
  std::map<std::string, double> accuracy;
  std::map<std::string, std::set<std::string>> sorting_threads;
  for (const Cells& m : measure("accuracy", GetParam())) {
    sorting_threads[m.at("system")].insert(m.at("sorting_threads"));
    if (m.at("tasks") == "1000" && m.at("multiply_adds") == "256") accuracy[m.at("system")] = m.number("accuracy");
  }
  ASSERT_EQ(accuracy.size(), 5u);
  // Systems that sort are measured with several numbers of sorting threads.
  for (const char* system : {"sorted queue", "Softshell"}) {
    EXPECT_EQ(sorting_threads[system].size(), 2u) << system;
    EXPECT_FALSE(sorting_threads[system].contains("0")) << system;
    EXPECT_GT(accuracy[system], 45) << system;
  }
  EXPECT_EQ(sorting_threads["fifo"], std::set<std::string>{"0"});
  EXPECT_NEAR(accuracy["fifo"], 50, 5);
  EXPECT_GE(accuracy["16 buckets"], 93);
  EXPECT_GE(accuracy["128 buckets"], 97);
  EXPECT_GE(accuracy["128 buckets"], accuracy["16 buckets"]);
}

TEST_P(ScheduleExperiments, EveryDeadlineSystemRuns) {
  // On a busy computer, a system may get no processor within the measured time.
  std::vector<Cells> rows;
  do {
    rows = measure("deadlines", GetParam());
  } while (!HasFailure() &&
           std::any_of(rows.begin(), rows.end(), [](const Cells& m) { return m.number("tasks") == 0; }));
  std::set<std::string> systems;
  for (const Cells& m : rows) {
    systems.insert(m.at("system"));
    EXPECT_LE(m.number("on_time"), 100.0);
    EXPECT_LE(m.number("least_late_ms"), m.number("most_late_ms"));
  }
  EXPECT_EQ(systems.size(), 6u);
}

TEST_P(ScheduleExperiments, OverheadIsAgainstFifo) {
  for (const Cells& m : measure("overhead", GetParam())) {
    EXPECT_GT(m.number("min_ms"), 0);
    if (m.at("system") == "fifo") {
      EXPECT_EQ(m.at("overhead"), "0");
    }
  }
}

TEST(ScheduleWorkers, MoreThanRunAtOnceAreRefused) {
  LabOptions options;
  options.quick = true;
  options.runs = 1;
  options.workers = 300;
  EXPECT_THROW(run_experiment(schedule_experiments(), "quotas", *make_lab_machine("cpu"), options, [](const auto&) {}),
               std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Machines, ScheduleExperiments, each_machine(), machine_name);

TEST(ScheduleAccuracy, OfKnownOrders) {
  // Ten tasks and the tasks that they create. One system always takes the highest queued priority, the other the
  // lowest.
  const uint32_t tasks = 10, seed = 5;
  const auto order = [&](bool highest) {
    std::vector<uint32_t> queued(tasks), numbers;
    std::iota(queued.begin(), queued.end(), 0u);
    for (uint32_t i = 0; i < 200; ++i) {
      const auto best = std::max_element(queued.begin(), queued.end(), [&](uint32_t a, uint32_t b) {
        const bool less = drawn_priority(a, seed) < drawn_priority(b, seed);
        return highest ? less : drawn_priority(a, seed) > drawn_priority(b, seed);
      });
      numbers.push_back(*best);
      *best = tasks + i;
    }
    return schedule_accuracy(numbers, tasks, seed);
  };
  EXPECT_EQ(order(true), 100);
  EXPECT_EQ(order(false), 0);
}

// Several budgets and runs, since other programs affect the times.
FoveatedOptions cut_off() {
  FoveatedOptions options;
  options.render.machine = MachineKind::cpu;
  options.render.workers = 1;
  options.budgets = {0.35, 0.5, 0.65};
  options.runs = 3;
  return options;
}

std::vector<Cells> compare(CutOff what, const LoadOptions& load, const FoveatedOptions& options,
                           const char* scene = "generated:city") {
  ResultTable table{"cut-off", split(kFoveatedColumns), {}};
  compare_cut_off(what, load_frame(scene, load), options, table, [](const auto&) {});
  return cells_of(table);
}

TEST(Foveated, IsBetterNearTheFixationPointAtEqualTime) {
  LoadOptions load;
  load.width = 1280;
  load.height = 720;
  FoveatedOptions options = cut_off();
  options.render.fixation = {{300.0f, 360.0f}};
  options.rings = 6;
  std::map<std::string, double> right;  // correct pixels in the innermost ring
  for (const Cells& m : compare(CutOff::foveated, load, options)) {
    if (m.at("where") == "ring" && m.at("from_px") == "0") right[m.at("policy")] += m.number("right_percent");
  }
  EXPECT_GT(right["foveated"], right["fill-level"]);
}

TEST(ViewPriority, TheImportantViewIsBetterAtEqualTime) {
  LoadOptions load;
  load.views = 4;
  load.view_size = 512;
  // Correct pixels.
  std::map<std::string, double> important, others;
  std::map<std::string, int> views;
  for (const Cells& m : compare(CutOff::views, load, cut_off())) {
    const std::string policy = m.at("policy");
    if (m.at("where") == "view") {
      EXPECT_EQ(m.number("pixels"), 512 * 512);
      EXPECT_EQ(m.at("priority"), m.at("view") == "3" ? "1" : "0");
      ++views[policy];
      if (m.at("priority") == "1") important[policy] += m.number("right_percent");
    } else if (m.at("where") == "others") {
      EXPECT_EQ(m.number("pixels"), 3 * 512 * 512);
      others[policy] += m.number("right_percent");
    }
  }
  EXPECT_EQ(views, (std::map<std::string, int>{{"fill-level", 12}, {"priority", 12}}));
  EXPECT_GT(important["priority"], important["fill-level"]);
  EXPECT_GT(important["priority"], others["priority"]);
}

TEST(ViewPriority, NeedsSeveralViewsAndSaneOptions) {
  const auto run = [](int views, uint32_t runs) {
    LoadOptions load;
    load.width = load.height = 64;
    load.views = views;
    FoveatedOptions options = cut_off();
    options.runs = runs;
    compare(CutOff::views, load, options, "generated:overlap-10k?triangles=100");
  };
  EXPECT_THROW(run(1, 1), std::invalid_argument);
  EXPECT_THROW(run(2, 0), std::invalid_argument);
}

}  // namespace
}  // namespace brokkr::lab
