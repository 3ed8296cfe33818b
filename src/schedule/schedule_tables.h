// What scheduling works with: counters that all blocks share, and the policy.
#pragma once

#include <cstdint>

namespace brokkr {

// What a block prefers when both geometry and rasterization are possible.
//   fill_level      geometry while a quarter of the triangle store is free, then rasterization
//   geometry_first  geometry until the store is full
//   raster_first    geometry only when no rasterizer can go on
enum class Policy : uint8_t { fill_level, geometry_first, raster_first };

struct ScheduleControl {
  alignas(64) uint32_t next_task;  // first task that nobody has taken
  alignas(64) uint32_t watermark;  // first task that is not complete
  alignas(64) uint32_t finished;   // rasterizers that are done with the frame
};

struct ScheduleTables {
  ScheduleControl* control;
  // Set by the host while the kernel runs. 1: finish what is there, take no more tasks; 2: leave as soon as
  // possible.
  uint32_t* abort;
  uint32_t* task_done;  // ring of window entries: task + 1 once it is complete
  uint32_t window;      // power of two: tasks that may be under way beyond the watermark
  uint32_t tasks;       // a task is task_batches consecutive batches
  uint32_t task_batches;
  uint32_t batches;
  uint32_t rasterizers;
  uint32_t blocks_per_task;  // most triangle blocks that one can fill
  Policy policy;
  bool stealing;
};

}  // namespace brokkr
