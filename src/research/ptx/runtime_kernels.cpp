// Queries and settings of kernels.
#include <cuda_runtime_api.h>

#include "ptx/runtime.h"

using namespace brokkr::ptx;

extern "C" {

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return call("cudaFuncSetAttribute", [&] {
    Kernel* kernel = kernel_of(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
      if (size_t(value) + program_of(*kernel).static_shared > kSharedPerBlock) return cudaErrorInvalidValue;
      kernel->most_dynamic_shared = value;
    }
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) kernel->carveout = value;
    return cudaSuccess;
  });
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, const void* function) {
  return call("cudaFuncGetAttributes", [&] {
    const Kernel* kernel = kernel_of(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    const Function& f = function_of(*kernel);
    *a = cudaFuncAttributes{};
    a->sharedSizeBytes = program_of(*kernel).static_shared;
    a->localSizeBytes = f.local_bytes;
    a->maxThreadsPerBlock = int(f.most_threads);
    a->numRegs = 255;
    a->ptxVersion = a->binaryVersion = 90;
    a->maxDynamicSharedSizeBytes = kernel->most_dynamic_shared;
    a->preferredShmemCarveout = kernel->carveout;
    return cudaSuccess;
  });
}
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                   size_t shared, unsigned) {
  return call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&] {
    const Kernel* kernel = kernel_of(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    *blocks = blocks_per_multiprocessor(*kernel, threads, shared);
    return cudaSuccess;
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

}  // extern "C"
