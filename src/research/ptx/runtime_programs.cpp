// The functions that nvcc's generated code calls: registering modules, kernels and variables, and launching kernels.
#include <cuda_runtime_api.h>

#include <vector>

#include "ptx/runtime.h"

namespace {

struct Configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;

}  // namespace

using namespace brokkr::ptx;

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  struct Wrapper {
    int magic, version;
    const void* data;
    void* more;
  };
  auto* module = new Module;
  module->fatbin = static_cast<const Wrapper*>(wrapper)->data;
  return reinterpret_cast<void**>(module);
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 1; }

void __cudaRegisterFunction(void** module, const char* host_function, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  const std::lock_guard lock(registry().mutex);
  Kernel& kernel = registry().kernels[host_function];
  kernel.module = module;
  kernel.name = name;
}
void __cudaRegisterVar(void** module, char* host_variable, char*, const char* name, int, size_t, int, int) {
  const std::lock_guard lock(registry().mutex);
  registry().variables[host_variable] = {reinterpret_cast<Module*>(module), name};
}
void __cudaRegisterManagedVar(void** module, void** host_variable, char*, const char* name, int, size_t, int, int) {
  const std::lock_guard lock(registry().mutex);
  registry().variables[host_variable] = {reinterpret_cast<Module*>(module), name};
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream_st* stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  if (configurations.empty()) return note(cudaErrorMissingConfiguration);
  const Configuration c = configurations.back();
  configurations.pop_back();
  *grid = c.grid, *block = c.block, *shared = c.shared;
  *static_cast<cudaStream_t*>(stream) = c.stream;
  return cudaSuccess;
}
// A kernel's handle is its host function.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host_function));
  return kernel_of(host_function) == nullptr ? note(cudaErrorInvalidDeviceFunction) : cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                             cudaStream_t stream) {
  return call("cudaLaunchKernel", [&] {
    const auto launch = make_launch(function, grid, block, arguments, shared);
    Queue::instance().order(stream_of(stream), [launch] { Queue::instance().run(*launch); });
    return cudaSuccess;
  });
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                               cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                    cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                                        cudaStream_t stream) {
  return call("cudaLaunchCooperativeKernel", [&] {
    const auto launch = make_launch(function, grid, block, arguments, shared);
    require_together(*launch);
    Queue::instance().order(stream_of(stream), [launch] { Queue::instance().run(*launch); });
    return cudaSuccess;
  });
}

}  // extern "C"
