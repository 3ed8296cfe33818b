// All programs give the CPU's results on every kind of machine, and the figures are as expected.
#include <gtest/gtest.h>

#include <algorithm>

#include "simt/figures.h"
#include "timed.h"

namespace brokkr::simt::test {
namespace {

class SimtPrograms : public testing::Test {
  void SetUp() override {
    if (!has_modules()) GTEST_SKIP() << "built without nvcc";
  }
};

Config machine_of(const ProgramInfo& p) {
  const std::string name = p.name;
  return find_config(name == "ray-spawn" || name == "branch-model" ? "thesis-7.6" : "thesis-7.1");
}
const ProgramSize kSmall{.scale = 1, .triangles = 600, .width = 24};

TEST_F(SimtPrograms, ResultsAreTheCpus) {
  for (const ProgramInfo& p : programs()) {
    SCOPED_TRACE(p.name);
    Config c = machine_of(p);
    for (const PolicyKind kind : {PolicyKind::pdom, PolicyKind::ahead, PolicyKind::spatial}) {
      c.policy = kind;
      c.ways = 4;
      c.spawn.state_bytes = 48;
      EXPECT_NO_THROW(time_program(p, c, kSmall));
    }
  }
}

TEST_F(SimtPrograms, SmallAndLargeMachinesTakeThem) {
  for (const ProgramInfo& p : programs()) {
    SCOPED_TRACE(p.name);
    if (std::string(p.name) == "ray-spawn" || std::string(p.name) == "branch-model") continue;
    EXPECT_NO_THROW(time_program(p, find_config("h200"), kSmall));
    if (std::string(p.module).starts_with("ray_tasks")) continue;  // these modules need whole warps
    EXPECT_NO_THROW(time_program(p, as_half_warps(find_config("thesis-7.1")), kSmall));
  }
}

// Programs without branches gain nothing; the others gain as much as their control flow allows.
TEST_F(SimtPrograms, LanesByThemselvesHelpWhatBranches) {
  const Config stack = find_config("thesis-7.1");
  const auto speedup = [&](const char* name, PolicyKind kind, uint32_t ways) {
    return double(time_program(find_program(name), stack, kSmall).cycles) /
           double(time_program(find_program(name), with(stack, kind, ways), kSmall).cycles);
  };
  EXPECT_EQ(speedup("aes", PolicyKind::independent, 32), 1.0);
  EXPECT_EQ(speedup("sto", PolicyKind::parallel, 2), 1.0);
  EXPECT_GT(speedup("even", PolicyKind::parallel, 2), 1.4);
  EXPECT_GT(speedup("loop", PolicyKind::ahead, 2), 1.15);
  EXPECT_GT(speedup("loop", PolicyKind::ahead, 8), 1.3);
  EXPECT_GT(speedup("mum", PolicyKind::ahead, 2), 1.1);
}

TEST_F(SimtPrograms, ThreadsThatSpawnKeepLanesBusy) {
  const Config c = with_ideal_memory(find_config("thesis-7.6"));
  Config spawning = c;
  spawning.spawn.state_bytes = 48;
  const Statistics loops = time_program(find_program("ray"), c, kSmall);
  const Statistics spawned = time_program(find_program("ray-spawn"), spawning, kSmall);
  EXPECT_EQ(loops.done, 24u * 24);
  EXPECT_EQ(spawned.done, loops.done);
  EXPECT_GT(spawned.efficiency(32), 1.3 * loops.efficiency(32));
  EXPECT_GT(spawned.requested_read, 2 * loops.requested_read);
}

// GrUG takes fewer steps down. The unit executes the grid's walk in place of the program, and changes no hit.
TEST_F(SimtPrograms, GrugTakesFewerInstructionsAndFewerStillWithItsUnit) {
  Config c = with_ideal_memory(find_config("thesis-7.3"));
  ProgramSize size = kSmall;
  size.triangles = 20000;
  const Statistics tree = time_program(find_program("ray"), c, size);
  const Statistics unit = time_program(find_program("ray-grug"), c, size);
  c.fixed.depth = 0;
  const Statistics software = time_program(find_program("ray-grug"), c, size);
  EXPECT_EQ(unit.done, tree.done);
  EXPECT_EQ(software.fixed, 0u);
  EXPECT_GE(unit.fixed, unit.done / 2);  // at least one cell for each ray that meets the scene
  EXPECT_LT(unit.lanes, software.lanes);
  EXPECT_LT(unit.lanes, tree.lanes);
}

// Tasks of one step and of many: the program determines how many lanes work.
TEST_F(SimtPrograms, TasksKeepLanesAtWork) {
  Config c = with_ideal_memory(find_config("thesis-7.6"));
  c.block_scheduling = false;
  const auto run = [&](const char* program, uint32_t stay) {
    ProgramSize size = kSmall;
    size.stay_percent = stay;
    return time_program(find_program(program), c, size);
  };
  const Statistics loop = run("ray-warp", 0), steps = run("ray-tasks", 101), tasks = run("ray-tasks", 50);
  for (const Statistics* s : {&loop, &steps, &tasks}) EXPECT_EQ(s->done, 24u * 24);
  EXPECT_LT(loop.work(32), loop.efficiency(32));
  EXPECT_GT(tasks.work(32), loop.work(32));
  EXPECT_LT(tasks.cycles, steps.cycles);
  EXPECT_THROW(time_program(find_program("ray-warp"), as_half_warps(c), kSmall), std::runtime_error);
}

TEST_F(SimtPrograms, TheModelNeverLosesMuchAndMayGainMuch) {
  const auto cycles = [](BranchRun run, uint32_t model) {
    run.model = model;
    Runner runner(find_config("thesis-7.6"), module_text("branch"));
    run_branch(runner, run);
    return double(runner.statistics().cycles);
  };
  const BranchRun rare{.long_percent = 13, .ratio = 50}, one{.warps_percent = 6, .ratio = 2};
  EXPECT_GT(cycles(rare, 0) / cycles(rare, 1), 3.0);
  EXPECT_GT(cycles(one, 0) / cycles(one, 1), 0.9);
}

// If threads draw their path at random, a partly filled warp remains for each path and runs alone at the end. It costs
// more the longer the following code is. Full warps lose nothing.
TEST_F(SimtPrograms, WithoutReconvergeTheStackWinsBehindLongPaths) {
  const auto speedup = [](uint32_t times, bool drawn) {
    BranchRun run{.ratio = 2, .shorter = 20, .end = times * 60, .drawn = drawn};
    const auto cycles = [&](uint32_t model) {
      run.model = model;
      Runner runner(find_config("thesis-7.6"), module_text("branch"));
      run_branch(runner, run);
      return double(runner.statistics().cycles);
    };
    return cycles(0) / cycles(2);
  };
  EXPECT_GT(speedup(0, true), 1.2);
  EXPECT_LT(speedup(6, true), 1.0);
  EXPECT_GT(speedup(6, false), 1.0);
}

TEST_F(SimtPrograms, FiguresHaveAValueInEachColumn) {
  FigureOptions small{.triangles = 600, .width = 16, .cycles = 2000};
  for (const char* name : {"2.3", "8.6", "8.7", "8.8", "table-8.1", "8.11", "A.11", "table-A.1"}) {
    SCOPED_TRACE(name);
    const FigureResult r = find_figure(name).run(small);
    EXPECT_FALSE(r.notes.empty());
    for (const FigureRow& row : r.rows) EXPECT_EQ(row.values.size(), r.columns.size()) << row.label;
  }
}

// Two cores with an image of a few rays: rates are those of the whole machine, 15 times theirs.
TEST_F(SimtPrograms, FiguresOfFewerCoresScaleTheirRates) {
  FigureOptions options{.triangles = 600, .width = 16};
  const FigureResult whole = find_figure("8.9").run(options);
  options.cores = 2;
  const FigureResult few = find_figure("8.9").run(options);
  constexpr double kRays = 16 * 16, kMhz = 1296;
  for (const FigureRow& row : few.rows)
    EXPECT_NEAR(row.values[0], kRays / row.values[4] * kMhz * 15, 1e-6) << row.label;
  for (const FigureRow& row : whole.rows) EXPECT_NEAR(row.values[0], kRays / row.values[4] * kMhz, 1e-6) << row.label;
  EXPECT_EQ(few.notes.size(), whole.notes.size() + 1);
  const Config machine = with_cores(find_config("thesis-7.3"), 15);
  EXPECT_EQ(std::tuple(machine.cores, machine.memory.channels * machine.memory.bytes_per_cycle), std::tuple(15u, 32u));
}

}  // namespace
}  // namespace brokkr::simt::test
