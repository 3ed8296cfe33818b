// The pipeline's kernel on CUDA, as the host launches it.
#pragma once

#include <cuda_runtime.h>

#include "pipeline/launch_data.h"

namespace brokkr {

// One launch of one frame.
__global__ void run_frame(const __grid_constant__ LaunchData data);
static_assert(sizeof(LaunchData) <= 4096, "kernel parameters are limited to 4 KiB");

inline constexpr int kCudaWarpsPerBlock = 8;
// Dynamic shared memory of one block.
size_t cuda_shared_bytes();

}  // namespace brokkr
