// Primary rays through a kd-tree, as data that host and machines share.
#pragma once

#include <cstdint>

#include "trace/tables.h"

namespace brokkr::simt {

inline constexpr uint32_t kRayStack = 64;  // entries of a ray's stack, three words each
inline constexpr uint32_t kRayPending = ~1u;

// The cost of walks: turns of a warp at nodes and at triangles, and the active lanes in them.
struct RayCounts {
  uint64_t turns, lanes, tasks;
};

struct RayPlan {
  trace::SceneTables scene;
  float eye[3], corner[3], right[3], up[3];  // a pixel's direction: corner + x * right + y * up
  uint32_t width = 0, rays = 0;              // picture of `width` pixels per line
  uint32_t* stacks = nullptr;                // [3][kRayStack][rays]; for the reference: [warps][3 * kStackEntries][32]
  float* t = nullptr;                        // [rays]
  uint32_t* primitive = nullptr;             // [rays]; kNone: no hit; kRayPending: the ray is not finished
  RayCounts* counts = nullptr;
  uint32_t workers = 1;
  // Tasks only: a warp continues with one step while this many of its lanes take it together.
  uint32_t stay = 1;
  void* memory = nullptr;  // memory of the task program
  uint32_t capacity = 0;   // of each queue: a power of two, at least the number of rays
};

}  // namespace brokkr::simt
