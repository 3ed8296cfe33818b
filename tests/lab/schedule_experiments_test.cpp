// The scheduling experiments run with every system, on every machine of this build; what they say adds up.
#include "lab/schedule_experiments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "brokkr/load.h"
#include "each_machine.h"
#include "lab/foveated.h"

namespace brokkr::lab {
namespace {

std::vector<ScheduleMeasurement> measure(const std::string& experiment, const std::string& machine) {
  ScheduleOptions options;
  options.quick = true;
  options.runs = 1;
  options.decisions = 2000;
  options.most_tasks = 1000;
  std::vector<ScheduleMeasurement> all;
  const auto on = make_lab_machine(machine);
  run_schedule_experiment(experiment, *on, options,
                          {[&](const ScheduleMeasurement& m) { all.push_back(m); }, [](const auto&) {}});
  for (const ScheduleMeasurement& m : all) {
    EXPECT_EQ(m.error, "") << m.system;
    EXPECT_EQ(m.refused, 0u) << m.system;
    EXPECT_EQ(schedule_cells(m).size(), schedule_columns().size());
  }
  return all;
}

using ScheduleExperiments = EachMachine;

TEST_P(ScheduleExperiments, SeparateBucketsKeepTheirQuotas) {
  std::set<std::string> systems;
  for (const ScheduleMeasurement& m : measure("quotas", GetParam())) {
    systems.insert(m.system);
    ASSERT_TRUE(m.share && m.quota && m.decisions);
    // Of 2000 decisions all tasks are of 8000 multiply-adds: an interrupted one is little beside them.
    if (m.system == "separate buckets" && *m.decisions == 2000 && m.multiply_adds == 8000) {
      EXPECT_NEAR(*m.share, *m.quota, 5.0) << "process " << *m.process;
    }
  }
  EXPECT_EQ(systems, (std::set<std::string>{"fifo", "sorted bucket", "separate buckets"}));
}

TEST_P(ScheduleExperiments, BucketsOrderByPriority) {
  std::map<std::string, double> accuracy;
  for (const ScheduleMeasurement& m : measure("accuracy", GetParam())) {
    if (m.tasks == 1000 && m.multiply_adds == 256) accuracy[m.system] = *m.accuracy;
  }
  ASSERT_EQ(accuracy.size(), 4u);
  EXPECT_NEAR(accuracy["fifo"], 50, 5);
  EXPECT_GE(accuracy["16 buckets"], 93);
  EXPECT_GE(accuracy["128 buckets"], 97);
  EXPECT_GE(accuracy["128 buckets"], accuracy["16 buckets"]);
}

TEST_P(ScheduleExperiments, EveryDeadlineSystemRuns) {
  std::set<std::string> systems;
  for (const ScheduleMeasurement& m : measure("deadlines", GetParam())) {
    systems.insert(m.system);
    EXPECT_GT(m.tasks, 0u);
    ASSERT_TRUE(m.on_time);
    EXPECT_LE(*m.on_time, 100.0);
    EXPECT_LE(*m.least_late_ms, *m.most_late_ms);
  }
  EXPECT_EQ(systems.size(), 5u);
}

TEST_P(ScheduleExperiments, OverheadIsAgainstFifo) {
  for (const ScheduleMeasurement& m : measure("overhead", GetParam())) {
    EXPECT_GT(*m.min_ms, 0);
    if (m.system == "fifo") {
      EXPECT_EQ(*m.overhead, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, ScheduleExperiments, each_machine(), machine_name);

TEST(ScheduleAccuracy, OfKnownOrders) {
  // Ten tasks and those that they make: always the highest queued, always the lowest.
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

// Several budgets and runs: what else the computer does is in the times.
FoveatedOptions cut_off() {
  FoveatedOptions options;
  options.render.machine = MachineKind::cpu;
  options.render.workers = 1;
  options.budgets = {0.35, 0.5, 0.65};
  options.runs = 3;
  return options;
}

TEST(Foveated, IsBetterNearTheFixationPointAtEqualTime) {
  LoadOptions load;
  load.width = 1280;
  load.height = 720;
  const Frame frame = load_frame("generated:city", load);
  FoveatedOptions options = cut_off();
  options.render.fixation = {{300.0f, 360.0f}};
  options.rings = 6;
  std::map<std::string, double> right;  // pixels in the innermost ring
  run_foveated(
      frame, options,
      [&](const FoveatedMeasurement& m) {
        EXPECT_EQ(foveated_cells(m).size(), foveated_columns().size());
        if (m.where == "ring" && m.from_px == 0) right[m.policy] += m.right_percent;
      },
      [](const auto&) {});
  EXPECT_GT(right["foveated"], right["fill-level"]);
}

TEST(ViewPriority, TheImportantViewIsBetterAtEqualTime) {
  LoadOptions load;
  load.views = 4;
  load.view_size = 512;
  const Frame frame = load_frame("generated:city", load);
  const FoveatedOptions options = cut_off();
  // Pixels that are right.
  std::map<std::string, double> important, others;
  std::map<std::string, int> views;
  run_view_priority(
      frame, options,
      [&](const FoveatedMeasurement& m) {
        EXPECT_EQ(foveated_cells(m).size(), foveated_columns().size());
        if (m.where == "view") {
          EXPECT_EQ(m.pixels, 512u * 512u);
          EXPECT_EQ(m.priority, m.view == 3 ? 1u : 0u);
          ++views[m.policy];
          if (m.priority > 0) important[m.policy] += m.right_percent;
        } else if (m.where == "others") {
          EXPECT_EQ(m.pixels, 3u * 512u * 512u);
          others[m.policy] += m.right_percent;
        }
      },
      [](const auto&) {});
  EXPECT_EQ(views, (std::map<std::string, int>{{"fill-level", 12}, {"priority", 12}}));
  EXPECT_GT(important["priority"], important["fill-level"]);
  EXPECT_GT(important["priority"], others["priority"]);
}

TEST(ViewPriority, NeedsSeveralViewsAndSaneOptions) {
  const auto run = [](int views, uint32_t runs) {
    LoadOptions load;
    load.width = load.height = 64;
    load.views = views;
    FoveatedOptions options;
    options.runs = runs;
    run_view_priority(
        load_frame("generated:overlap-10k?triangles=100", load), options, [](const auto&) {}, [](const auto&) {});
  };
  EXPECT_THROW(run(1, 1), std::invalid_argument);
  EXPECT_THROW(run(2, 0), std::invalid_argument);
}

}  // namespace
}  // namespace brokkr::lab
