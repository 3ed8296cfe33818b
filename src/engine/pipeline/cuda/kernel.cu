// The pipeline compiled for CUDA: the same text as pipeline/cpu_kernel.cpp. This file is the kernel that draws every
// frame. The others include it: BROKKR_KERNEL names their entry, BROKKR_KERNEL_FEATURES what they have of the pipeline
// (geometry/features.h), BROKKR_KERNEL_LINKED that programs are linked into it.
#include "pipeline/cuda/kernel.h"

#include "pipeline/kernel.h"

// Blocks that the compiler leaves registers for on every multiprocessor: 255 a thread for one, 128 for two
// (BROKKR_CUDA_BLOCKS_PER_SM of CMake).
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
