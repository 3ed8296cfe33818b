// The pipeline's kernel on CUDA, as the host launches it.
#pragma once

#include <cuda_runtime.h>

#include "pipeline/launch_data.h"

namespace brokkr {

// One launch of one frame. `data` stays in device memory: kernel parameters are limited to 4 KiB.
__global__ void run_frame(const LaunchData* data);

inline constexpr int kCudaWarpsPerBlock = 8;
// Dynamic shared memory of one block.
size_t cuda_shared_bytes();

}  // namespace brokkr
