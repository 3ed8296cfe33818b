// Primary rays through a kd-tree, as data that host and machines share.
#pragma once

#include <cstdint>

#include "trace/tables.h"

namespace brokkr::simt {

inline constexpr uint32_t kRayStack = 64;  // entries of a ray's stack; each is three words
inline constexpr uint32_t kRayPending = ~1u;

// What walks took: turns of a warp at nodes and at triangles, and the lanes that worked in them.
struct RayCounts {
  uint64_t turns, lanes, tasks;
};

struct RayPlan {
  trace::SceneTables scene;
  float eye[3], corner[3], right[3], up[3];  // direction of a pixel: corner + x * right + y * up
  uint32_t width = 0, rays = 0;              // a picture of `width` pixels a line
  uint32_t* stacks = nullptr;                // [3][kRayStack][rays]; of the reference: [warps][3 * kStackEntries][32]
  float* t = nullptr;                        // [rays]
  uint32_t* primitive = nullptr;             // [rays]: kNone: nothing was hit; kRayPending: the ray is not done
  RayCounts* counts = nullptr;
  uint32_t workers = 1;
  // Of tasks: a warp goes on with one step while so many of its lanes take it together.
  uint32_t stay = 1;
  void* memory = nullptr;  // of the task program
  uint32_t capacity = 0;   // of each queue: a power of two, the number of rays at least
};

}  // namespace brokkr::simt
