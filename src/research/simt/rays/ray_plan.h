// Primary rays through a kd-tree, as data shared by host and machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

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
  uint32_t capacity = 0;   // size of each queue: a power of two, at least the number of rays
};

// The ray programs, built for each CPU machine (simt/rays/ray_kernel.cpp).

// Memory of the task program, the same for all machines.
struct RayMemory {
  size_t bytes = 0;    // zeroed before a run
  size_t open_at = 0;  // byte offset of a word that holds the number of workers
};

struct RayKernels {
  int width = 0;                                      // lanes of a warp
  void (*walk)(const RayPlan&, int warp) = nullptr;   // as the path tracer calls it: trace/walk.h
  void (*loop)(const RayPlan&, int warp) = nullptr;   // the same steps, with counts
  void (*tasks)(const RayPlan&, int warp) = nullptr;  // each step as a task
  RayMemory (*memory)(uint32_t capacity, uint32_t workers) = nullptr;
};

// `build`: TaskMachine::build. Throws std::invalid_argument for an unknown build.
const RayKernels& ray_kernels(const std::string& build);
const RayKernels& any_ray_kernels();  // for the part that all builds share

}  // namespace brokkr::simt
