// What scheduling works with: counters that all blocks share, and the policy.
#pragma once

#include <cstdint>

namespace brokkr {

// What a block does next, when both geometry and rasterization are possible, and which rasterizer it then works for.
// The picture does not depend on it, unless the frame is cut off before it is finished.
//   fill_level      geometry while a quarter of the triangle store is free, then the longest queue of those
//                   near the last one
//   geometry_first  geometry until the store is full
//   raster_first    geometry only when no rasterizer can go on
//   round_robin     geometry and rasterization in turn
//   fair            each has its quota of the time
//   edf             geometry first; then rasterizers of the view whose deadline is next, what is late last
//   priority        geometry first; then rasterizers of the view with the highest priority
//   foveated        geometry first; then the rasterizer next to the fixation point
// edf and priority also take up geometry in their order, where the result does not depend on that.
enum class Policy : uint8_t { fill_level, geometry_first, raster_first, round_robin, fair, edf, priority, foveated };
inline constexpr int kPolicies = 8;

// Whether rasterizers have ranks: edf's deadlines, 2^32 - 1 - priority, or squared distances.
constexpr bool has_ranks(Policy p) { return p >= Policy::edf; }

struct ScheduleControl {
  alignas(64) uint32_t next_task;  // first task that nobody has taken
  alignas(64) uint32_t watermark;  // first task that is not complete
  alignas(64) uint32_t finished;   // rasterizers that are done with the frame
  alignas(64) uint64_t share[4];   // fair: ns of geometry and of rasterization, then their quotas
};

struct ScheduleTables {
  ScheduleControl* control;
  // Set by the host while the kernel runs. 1: finish what is there, take no more tasks; 2: leave as soon as possible.
  uint32_t* abort;
  uint32_t* task_done;  // ring of window entries: task + 1 once it is complete
  uint32_t window;      // power of two: tasks that may be under way beyond the watermark
  uint32_t tasks;       // a task is task_batches consecutive batches
  uint32_t task_batches;
  uint32_t batches;
  uint32_t rasterizers;
  uint32_t blocks_per_task;  // most triangle blocks that one can fill
  uint32_t quota[2];         // fair: of geometry and of rasterization, in any unit
  Policy policy;
  bool stealing;
  bool reordered;  // tasks are taken up in the order of task_order (pipeline/view_order.h)
};

}  // namespace brokkr
