// The functions that nvcc's generated code calls: registering modules, kernels and variables, and launching kernels.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "ptx/program.h"
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

// Queries and settings of kernels.

using namespace brokkr::ptx;

extern "C" {

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return call("cudaFuncSetAttribute", [&] {
    Kernel* kernel = kernel_of(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
      if (size_t(value) + static_shared_of(*kernel) > kSharedPerBlock) return cudaErrorInvalidValue;
      kernel->max_dynamic_shared = value;
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
    a->maxThreadsPerBlock = int(f.max_threads);
    a->numRegs = 255;
    a->ptxVersion = a->binaryVersion = 90;
    a->maxDynamicSharedSizeBytes = kernel->max_dynamic_shared;
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

// nvJitLink for PTX: combines modules that call each other's functions into one module of PTX text. Functions have the
// names and meanings of NVIDIA's library, so that a program can link this one instead.

namespace {

enum Result : int { kDone = 0, kInvalid = 2, kFailed = 5 };  // NVJITLINK_SUCCESS, _ERROR_INVALID_INPUT, _ERROR_INTERNAL
enum Input : int { kPtx = 2, kFatbin = 4 };

struct Link {
  std::string text, log;
};

template <class F>
Result guarded(Link* link, F&& f) {
  try {
    f();
    return kDone;
  } catch (const std::exception& error) {
    link->log = std::string("error: ") + error.what();
    return kFailed;
  }
}

}  // namespace

extern "C" {

unsigned nvJitLinkVersion(unsigned* major, unsigned* minor) {
  *major = 13, *minor = 0;
  return kDone;
}
Result nvJitLinkCreate(Link** link, uint32_t, const char**) {
  *link = new Link;
  return kDone;
}
Result nvJitLinkDestroy(Link** link) {
  delete *link;
  *link = nullptr;
  return kDone;
}
Result nvJitLinkAddData(Link* link, Input kind, const void* data, size_t bytes, const char*) {
  if (kind != kPtx && kind != kFatbin) return kInvalid;
  return guarded(link, [&] {
    std::string text =
        kind == kFatbin ? brokkr::ptx::ptx_of_fatbin(data) : std::string(static_cast<const char*>(data), bytes);
    while (!text.empty() && text.back() == '\0') text.pop_back();
    link->text += text + "\n";
  });
}
// Reports functions that no module defines, as a linker does.
Result nvJitLinkComplete(Link* link) {
  return guarded(link, [&] { brokkr::ptx::build_program(link->text); });
}
Result nvJitLinkGetLinkedCubinSize(Link* link, size_t* bytes) {
  *bytes = link->text.size() + 1;
  return kDone;
}
Result nvJitLinkGetLinkedCubin(Link* link, void* to) {
  std::memcpy(to, link->text.c_str(), link->text.size() + 1);
  return kDone;
}
Result nvJitLinkGetErrorLogSize(Link* link, size_t* bytes) {
  *bytes = link->log.size() + 1;
  return kDone;
}
Result nvJitLinkGetErrorLog(Link* link, char* to) {
  std::memcpy(to, link->log.c_str(), link->log.size() + 1);
  return kDone;
}

}  // extern "C"
