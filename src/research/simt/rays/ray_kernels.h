// The ray programs, built for each CPU machine (simt/rays/ray_kernel.cpp).
#pragma once

#include <cstddef>
#include <string>

#include "simt/rays/ray_plan.h"

namespace brokkr::simt {

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
