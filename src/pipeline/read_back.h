// From the kernel's planes to pictures in rows.
#pragma once

#include <vector>

#include "machine/worker_pool.h"
#include "pipeline/launch_layout.h"

namespace brokkr {

// Planes in host memory (target/target_tables.h). Null planes are left out of the pictures.
struct HostPlanes {
  const RegionState* region_state = nullptr;
  const uint32_t* color = nullptr;
  const uint32_t* color_high = nullptr;
  const float* depth = nullptr;
  const uint8_t* stencil = nullptr;
  const uint32_t* visible_id = nullptr;
  const uint32_t* depth_id = nullptr;
  const uint32_t* overdraw = nullptr;
};

// Clears that still wait (an aborted frame) appear as done. With a pool, `threads` of it share the work.
std::vector<TargetImage> read_back(const LaunchLayout& layout, const HostPlanes& planes, WorkerPool* pool = nullptr,
                                   int threads = 1);

}  // namespace brokkr
