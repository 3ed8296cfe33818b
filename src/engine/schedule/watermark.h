// Tasks are admitted in order and complete in any order. All tasks below the watermark are complete.
#pragma once

#include "schedule/schedule_tables.h"
#include "schedule/stock.h"

BROKKR_MACHINE_BEGIN

struct TaskRange {
  uint32_t first = 0, count = 0;
  bool refused = false;  // tasks are left, but store or window have no room for one
};

// The words that all blocks share. A decision reads them together in one round trip.
struct LaunchStatus {
  uint32_t abort;      // AbortLevel
  uint32_t finished;   // number of finished rasterizers
  uint32_t watermark;  // a task number
  uint32_t next_task;
  int free_blocks;  // store blocks that are in no stock
};

BROKKR_FN LaunchStatus read_status(Warp& w, const ScheduleTables& schedule, const QueueMemory<1>& free_blocks) {
  ScheduleControl& control = *schedule.control;
  constexpr int kWords = 5;
  static_assert(kWidth >= 4);
  uint32_t value[kWords];
  auto word = w.spill(0u);
  const auto read = [&](int i) {
    uint32_t* const source = i == 0   ? schedule.abort.get()
                             : i == 1 ? &control.finished
                             : i == 2 ? &control.watermark
                             : i == 3 ? &control.next_task
                                      : &free_blocks.control->count;
    return system_atomic<uint32_t>(*source).load(kAcquire);
  };
  for (int g = 0; g < kWords; g += w.width) {
    const int n = kWords - g < w.width ? kWords - g : w.width;
    w.for_lanes(w.first_lanes(n), [&](int i) { word.set(i, read(g + i)); });
    for (int i = 0; i < n; ++i) value[g + i] = w.broadcast(word.lanes(), i);
  }
  const int count = int(value[4]);
  return {value[0], value[1], value[2], value[3], count < 0 ? 0 : count};
}

// Admits up to `want` tasks, each with the store blocks that it may need, so that a task that has started never waits.
// One warp calls this function.
BROKKR_FN TaskRange admit_tasks(Warp& w, const ScheduleTables& schedule, const LaunchStatus& status, Stock& stock,
                                int want, int workers) {
  if (status.next_task >= schedule.tasks) return {};
  // All workers may pass this test at the same time, each with its own status. Therefore the margin is the number of
  // tasks that all of them together can take.
  const uint32_t under_way = status.next_task - status.watermark;
  if (!schedule.counted && under_way != 0 && under_way + uint32_t(workers * want) > schedule.window)
    return {0, 0, true};
  const int count = stock.fill(w, want, int(schedule.blocks_per_task));
  if (count == 0) return {0, 0, true};
  const uint32_t first = w.uniform(
      [&] { return device_atomic<uint32_t>(schedule.control->next_task).fetch_add(uint32_t(count), kRelaxed); });
  const uint32_t left = first < schedule.tasks ? schedule.tasks - first : 0;
  return {first, left < uint32_t(count) ? left : uint32_t(count)};
}

// The number of consecutive complete tasks from `now` on, up to n <= width.
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

// Marks tasks complete and advances the watermark as far as possible. One warp calls this function, after the tasks'
// warps have synchronized.
//
// If nothing waits for a task except the end of geometry, tasks are counted, and the last one raises the watermark.
// Otherwise each task is recorded in a ring, and then the watermark is read by adding 0. All changes of the watermark
// are read-modify-writes. If two workers complete consecutive tasks, either the second sees the watermark that the
// first has advanced, or the first finds the second's entry: the watermark never stops at a complete task. The last
// addition has acquired all others, so its worker sees all tasks; a worker that only advances the watermark has nothing
// to acquire.
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
      return device_atomic<uint32_t>(control.watermark)
          .compare_exchange_strong(expected, now + run, kRelease, kRelaxed);
    });
    now = moved ? now + run : read_mark();
  }
}

BROKKR_MACHINE_END
