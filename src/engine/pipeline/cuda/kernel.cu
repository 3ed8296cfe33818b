// The pipeline compiled for CUDA, from the same text as pipeline/cpu_kernel.cpp. This file is the kernel with all
// features but vertex programs. Other files include it and define BROKKR_KERNEL, the name of their entry;
// BROKKR_KERNEL_FEATURES, a subset of the pipeline's features (geometry/features.h); and BROKKR_KERNEL_LINKED, if
// programs are linked into the kernel.
#if !defined(BROKKR_KERNEL_FEATURES)
#define BROKKR_KERNEL_FEATURES (kEveryFeature & ~uint32_t(kFeatureVertexPrograms))
#endif
#include "pipeline/cuda/kernel.h"

#include "pipeline/kernel.h"

// The number of resident blocks per multiprocessor that the compiler must leave registers for: with one block a thread
// has 255 registers, with two it has 128 (BROKKR_CUDA_BLOCKS_PER_SM of CMake).
#if !defined(BROKKR_CUDA_BLOCKS_PER_SM)
#define BROKKR_CUDA_BLOCKS_PER_SM 2
#endif

namespace brokkr {

#if !defined(BROKKR_KERNEL_LINKAGE)
#define BROKKR_KERNEL_LINKAGE
#endif
#if !defined(BROKKR_KERNEL)
#define BROKKR_KERNEL run_frame
size_t cuda_shared_bytes() { return sizeof(BlockShared); }
#endif

BROKKR_KERNEL_LINKAGE __global__ void __launch_bounds__(kCudaWarpsPerBlock * 32, BROKKR_CUDA_BLOCKS_PER_SM)
    BROKKR_KERNEL(const __grid_constant__ LaunchData data) {
  extern __shared__ __align__(64) unsigned char storage[];
  Block<BlockShared> b;
  b.index = int(blockIdx.x);
  b.blocks = int(gridDim.x);
  b.warps = kCudaWarpsPerBlock;
  b.warp.index = int(threadIdx.x / 32);
  b.shared = reinterpret_cast<BlockShared*>(storage);
  run_pipeline(b, data);
}

}  // namespace brokkr
