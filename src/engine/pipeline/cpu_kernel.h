// The pipeline's builds for the CPU's instruction sets and for the emulated machine.
#pragma once

#include <cstddef>

#include "machine/host_turn.h"
#include "pipeline/launch_data.h"

namespace brokkr {

struct CpuLaunch {
  const LaunchData* data;
  std::byte* shared;     // blocks * shared_stride bytes, zeroed, 64-byte aligned
  size_t shared_stride;  // >= CpuKernel::shared_bytes, a multiple of 64
  int blocks, warps;     // warps per block
  HostTurn turn = {};    // of the first warp of the first block
};

struct CpuKernel {
  int width;            // lanes
  int max_warps;        // per block
  size_t shared_bytes;  // storage of one block, with its barrier at the end
  void (*run_warp)(const CpuLaunch& launch, int block, int warp);
};

}  // namespace brokkr
