// Runs the program of pause_program.h on a machine, from pause to pause, and checks that each task runs exactly once.
#pragma once

#include <gtest/gtest.h>

#include "pause_plan.h"

namespace brokkr::pause_test {

// Memory for all tasks, or so little that many find no room: `capacity` tasks in each of eight queues, and `records`
// large payloads, for 300 tasks at a time.
struct Room {
  uint32_t capacity = 128, records = 512;
  bool suffices = true;
};
inline constexpr Room kFewSlots{4, 512, false}, kFewRecords{128, 8, false};

inline void check_pauses(TaskMachine& machine, const Kernel& kernel, uint32_t workers, uint32_t generations,
                         const Room& room = {}) {
  Plan plan;
  plan.capacity = room.capacity;
  plan.records = room.records;
  plan.seeds = 300;
  plan.generations = generations;
  plan.pause_after = 100;
  plan.abort = machine.abort_word();
  plan.pause = machine.pause_word();
  const TaskArray<std::byte> memory(machine, kernel.bytes(plan.capacity, workers, plan.records));
  const TaskArray<uint32_t> times(machine, size_t(plan.seeds) * plan.generations), ran(machine, 3);
  plan.memory = memory.data();
  plan.times = times.data();
  plan.ran = ran.data();
  const auto open_at = kernel.open_at(plan.capacity, plan.records);
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
  if (room.suffices) {
    EXPECT_GT(runs, 1u) << "no pause came";
  }
  EXPECT_EQ(ran.values()[1] == 0, room.suffices) << ran.values()[1] << " found no room";
  EXPECT_EQ(ran.values()[2], 0u) << "payloads that are not whole";
  const std::vector<uint32_t> all = times.values();
  for (size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], 1u) << "task " << i;
}

}  // namespace brokkr::pause_test
