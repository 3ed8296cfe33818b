// The pipeline's CUDA kernels as the host launches them. All are compiled from the same text, each with a subset of the
// features (geometry/features.h); one of them draws a frame.
#pragma once

#include <cuda_runtime.h>

#include "geometry/features.h"
#include "pipeline/launch_data.h"

namespace brokkr {

// Draws one frame in one launch.
__global__ void run_frame(const __grid_constant__ LaunchData data);
__global__ void run_frame_built_in(const __grid_constant__ LaunchData data);
__global__ void run_frame_opaque(const __grid_constant__ LaunchData data);
__global__ void run_frame_vertices(const __grid_constant__ LaunchData data);
static_assert(sizeof(LaunchData) <= 4096, "kernel parameters are limited to 4 KiB");

struct FrameKernel {
  const char* name;
  uint32_t features;
  void (*entry)(LaunchData);  // or a cudaKernel_t, which the runtime accepts as well
};
// Sorted by number of features; the last kernel has all. `all` has those of frames without vertex programs.
inline constexpr FrameKernel kFrameKernels[] = {
    {"opaque", 0, &run_frame_opaque},
    {"built-in",
     kEveryFeature & ~uint32_t(kFeaturePrograms | kFeatureStamps | kFeatureSamples | kFeatureVertexPrograms),
     &run_frame_built_in},
    {"all", kEveryFeature & ~uint32_t(kFeatureVertexPrograms), &run_frame},
    {"vertices", kEveryFeature, &run_frame_vertices},
};

// The features of a kernel with linked programs (linked_kernel.h), besides vertex programs.
inline constexpr uint32_t kLinkedFeatures =
    kEveryFeature & ~uint32_t(kFeatureStamps | kFeatureSamples | kFeatureVertexPrograms);

inline constexpr int kCudaWarpsPerBlock = 8;
// Dynamic shared memory per block in bytes, the same for every kernel.
size_t cuda_shared_bytes();

}  // namespace brokkr
