// Tasks: admission in order, completion in any order, and the watermark below which all are complete.
#pragma once

#include "queue/broker_queue.h"
#include "schedule/schedule_tables.h"

BROKKR_MACHINE_BEGIN

struct TaskRange {
  uint32_t first = 0, count = 0;
  bool refused = false;  // tasks are left, but the store or the window has no room for one
};

// Takes up to `want` tasks, each with the store blocks that it may need: a task that has started never waits. One warp.
BROKKR_FN TaskRange admit_tasks(Warp& w, const ScheduleTables& schedule, BrokerQueues<1>& free_blocks, int want,
                                int workers) {
  ScheduleControl& control = *schedule.control;
  const uint32_t next = w.uniform([&] { return device_atomic<uint32_t>(control.next_task).load(kRelaxed); });
  if (next >= schedule.tasks) return {};
  const uint32_t mark = w.uniform([&] { return device_atomic<uint32_t>(control.watermark).load(kRelaxed); });
  // All workers may pass this test at once, so that the margin is the number of tasks that all of them can take.
  if (next - mark + uint32_t(workers * want) > schedule.window && next != mark) return {0, 0, true};
  int count = want;
  while (!free_blocks.reserve(w, 0, count * int(schedule.blocks_per_task))) {
    if (count == 1) return {0, 0, true};
    count = 1;
  }
  const uint32_t first =
      w.uniform([&] { return device_atomic<uint32_t>(control.next_task).fetch_add(uint32_t(count), kRelaxed); });
  const uint32_t left = first < schedule.tasks ? schedule.tasks - first : 0;
  const uint32_t got = left < uint32_t(count) ? left : uint32_t(count);
  if (got < uint32_t(count)) free_blocks.unreserve(w, 0, int(uint32_t(count) - got) * int(schedule.blocks_per_task));
  return {first, got};
}

// Marks a task complete and moves the watermark as far as it goes. Each warp that completes a task publishes it first
// and then tries to move the watermark, all in one total order. So the watermark never stops at a complete task.
BROKKR_FN void complete_task(Warp& w, const ScheduleTables& schedule, uint32_t task) {
  w.sync();
  w.once([&] {
    const uint32_t wrap = schedule.window - 1;
    device_atomic<uint32_t>(schedule.task_done[task & wrap]).store(task + 1, kSeqCst);
    device_atomic<uint32_t> mark(schedule.control->watermark);
    uint32_t now = mark.load(kSeqCst);
    while (now < schedule.tasks && device_atomic<uint32_t>(schedule.task_done[now & wrap]).load(kSeqCst) == now + 1) {
      if (mark.compare_exchange_strong(now, now + 1, kSeqCst, kSeqCst)) ++now;
    }
  });
}

BROKKR_MACHINE_END
