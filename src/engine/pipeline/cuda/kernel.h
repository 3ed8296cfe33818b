// The pipeline's kernels on CUDA, as the host launches them. All are compiled from the same text, each with a part of
// its features (geometry/features.h), and one draws a frame.
#pragma once

#include <cuda_runtime.h>

#include "geometry/features.h"
#include "pipeline/launch_data.h"

namespace brokkr {

// One launch of one frame.
__global__ void run_frame(const __grid_constant__ LaunchData data);
__global__ void run_frame_built_in(const __grid_constant__ LaunchData data);
__global__ void run_frame_opaque(const __grid_constant__ LaunchData data);
static_assert(sizeof(LaunchData) <= 4096, "kernel parameters are limited to 4 KiB");

struct FrameKernel {
  const char* name;
  uint32_t features;
  void (*entry)(LaunchData);  // or a cudaKernel_t, which the runtime takes as well
};
// The fewer features, the earlier; the last has all.
inline constexpr FrameKernel kFrameKernels[] = {
    {"opaque", 0, &run_frame_opaque},
    {"built-in", kEveryFeature & ~uint32_t(kFeaturePrograms | kFeatureStamps), &run_frame_built_in},
    {"all", kEveryFeature, &run_frame},
};

inline constexpr int kCudaWarpsPerBlock = 8;
// Dynamic shared memory of one block, in every kernel.
size_t cuda_shared_bytes();

}  // namespace brokkr
