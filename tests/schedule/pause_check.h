// Runs the program of pause_program.h on a machine, from pause to pause, and checks that no task is lost or run twice.
#pragma once

#include <gtest/gtest.h>

#include "pause_plan.h"

namespace brokkr::pause_test {

inline void check_pauses(TaskMachine& machine, const Kernel& kernel, uint32_t workers, uint32_t generations) {
  Plan plan;
  plan.capacity = 128;
  plan.seeds = 300;
  plan.generations = generations;
  plan.pause_after = 100;
  plan.abort = machine.abort_word();
  plan.pause = machine.pause_word();
  const TaskArray<std::byte> memory(machine, kernel.bytes(plan.capacity, workers));
  const TaskArray<uint32_t> times(machine, size_t(plan.seeds) * plan.generations), ran(machine, 2);
  plan.memory = memory.data();
  plan.times = times.data();
  plan.ran = ran.data();
  const auto open_at = kernel.open_at(plan.capacity);
  machine.upload(memory.data() + open_at, &workers, sizeof workers);
  uint32_t open = workers, runs = 0;
  while (open != 0) {
    const TaskRun run = machine.run(kernel.run, plan, workers, {});
    ASSERT_NE(run.end, TaskEnd::aborted);
    machine.download(&open, memory.data() + open_at, sizeof open);
    if (run.end == TaskEnd::done) {
      ASSERT_EQ(open, 0u);
    }
    plan.resumed = 1;
    ++runs;
  }
  EXPECT_GT(runs, 1u) << "no pause came";
  EXPECT_EQ(ran.values()[1], 0u);
  const std::vector<uint32_t> all = times.values();
  for (size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], 1u) << "task " << i;
}

}  // namespace brokkr::pause_test
