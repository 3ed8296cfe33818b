// Tasks: admission in order, completion in any order, and the watermark below which all are complete.
#pragma once

#include "schedule/schedule_tables.h"
#include "schedule/stock.h"

BROKKR_MACHINE_BEGIN

struct TaskRange {
  uint32_t first = 0, count = 0;
  bool refused = false;  // tasks are left, but the store or the window has no room for one
};

// Takes up to `want` tasks, each with the store blocks that it may need: a task that has started never waits. One warp.
BROKKR_FN TaskRange admit_tasks(Warp& w, const ScheduleTables& schedule, Stock& stock, int want, int workers) {
  ScheduleControl& control = *schedule.control;
  const uint32_t next = w.uniform([&] { return device_atomic<uint32_t>(control.next_task).load(kRelaxed); });
  if (next >= schedule.tasks) return {};
  if (!schedule.counted) {
    const uint32_t mark = w.uniform([&] { return device_atomic<uint32_t>(control.watermark).load(kRelaxed); });
    // All workers may pass this test at once, so that the margin is the number of tasks that all of them can take.
    if (next - mark + uint32_t(workers * want) > schedule.window && next != mark) return {0, 0, true};
  }
  const int count = stock.fill(w, want, int(schedule.blocks_per_task));
  if (count == 0) return {0, 0, true};
  const uint32_t first =
      w.uniform([&] { return device_atomic<uint32_t>(control.next_task).fetch_add(uint32_t(count), kRelaxed); });
  const uint32_t left = first < schedule.tasks ? schedule.tasks - first : 0;
  return {first, left < uint32_t(count) ? left : uint32_t(count)};
}

// Tasks now .. now + n - 1 that are complete, for the first n <= width that are.
BROKKR_FN uint32_t complete_run(Warp& w, const ScheduleTables& schedule, uint32_t now) {
  const uint32_t left = schedule.tasks - now;
  const Mask m = w.first_lanes(left < uint32_t(w.width) ? int(left) : w.width);
  auto done = w.spill(0u);
  w.for_lanes(m, [&](int i) {
    const uint32_t task = now + uint32_t(i);
    device_atomic<uint32_t> word(schedule.task_done[task & (schedule.window - 1)]);
    done.set(i, word.load(kAcquire) == task + 1 ? 1u : 0u);
  });
  w.sync();
  const uint32_t missing = ~w.ballot(m && done.lanes() != 0);
  return missing == 0 ? 32u : uint32_t(lowest_bit(missing));
}

// Marks tasks complete and moves the watermark as far as it goes. One warp, after the tasks' warps have met.
//
// Where nothing waits for a task but the end of geometry, tasks are counted, and the last one raises the watermark.
// Else each is noted in a ring, then the watermark is read by an addition of 0. All changes of it are
// read-modify-writes, so that of two workers whose tasks follow each other, the second finds either the watermark that
// the first has moved, or is found by the first: the watermark never stops at a complete task.
BROKKR_FN_NOINLINE void complete_tasks(Warp& w, const ScheduleTables& schedule, const TaskRange& range) {
  w.sync();
  ScheduleControl& control = *schedule.control;
  if (schedule.counted) {
    w.once([&] {
      const uint32_t before = device_atomic<uint32_t>(control.completed).fetch_add(range.count, kAcqRel);
      if (before + range.count == schedule.tasks)
        device_atomic<uint32_t>(control.watermark).store(schedule.tasks, kRelease);
    });
    return;
  }
  w.for_lanes(w.first_lanes(int(range.count)), [&](int i) {
    const uint32_t task = range.first + uint32_t(i);
    device_atomic<uint32_t>(schedule.task_done[task & (schedule.window - 1)]).store(task + 1, kRelease);
  });
  w.sync();
  const auto read_mark = [&] {
    return w.uniform([&] { return device_atomic<uint32_t>(control.watermark).fetch_add(0, kAcqRel); });
  };
  for (uint32_t now = read_mark(); now < schedule.tasks;) {
    const uint32_t run = complete_run(w, schedule, now);
    if (run == 0) return;
    const bool moved = w.uniform([&]() -> bool {
      uint32_t expected = now;
      return device_atomic<uint32_t>(control.watermark).compare_exchange_strong(expected, now + run, kAcqRel, kRelaxed);
    });
    now = moved ? now + run : read_mark();
  }
}

BROKKR_MACHINE_END
