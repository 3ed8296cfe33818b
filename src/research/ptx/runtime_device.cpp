// The description of the device. Environment variables determine its size.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "ptx/memory.h"
#include "ptx/runtime.h"
#include "ptx/settings.h"

using namespace brokkr::ptx;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return note(device == 0 ? cudaSuccess : cudaErrorInvalidDevice); }
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (device != 0) return note(cudaErrorInvalidDevice);
  *p = cudaDeviceProp{};
  std::snprintf(p->name, sizeof p->name, "PTX interpreter");
  p->totalGlobalMem = Memory::instance().total();
  p->sharedMemPerBlock = 48 << 10;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->warpSize = 32;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024, p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff, p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->totalConstMem = 64 << 10;
  p->major = 9, p->minor = 0;
  p->multiProcessorCount = settings().multiprocessors;
  p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = p->managedMemory = 1;
  p->asyncEngineCount = 2;
  p->concurrentManagedAccess = p->streamPrioritiesSupported = 1;
  p->cooperativeLaunch = settings().cooperative != 0;
  p->memoryBusWidth = 64;
  p->l2CacheSize = 1 << 20;
  p->maxThreadsPerMultiProcessor = kThreadsPerMultiprocessor;
  p->sharedMemPerMultiprocessor = kSharedPerMultiprocessor;
  p->sharedMemPerBlockOptin = kSharedPerBlock;
  p->maxBlocksPerMultiProcessor = 32;
  p->reservedSharedMemPerBlock = kReservedShared;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp p;
  if (const cudaError_t error = cudaGetDeviceProperties(&p, device)) return error;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = int(p.sharedMemPerBlock); break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = int(p.sharedMemPerBlockOptin); break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = int(p.sharedMemPerMultiprocessor); break;
    case cudaDevAttrReservedSharedMemoryPerBlock: *value = int(p.reservedSharedMemPerBlock); break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrClockRate: *value = settings().megahertz * 1000; break;
    case cudaDevAttrMemoryClockRate: *value = 1000000; break;
    case cudaDevAttrCooperativeLaunch: *value = p.cooperativeLaunch; break;
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrCanMapHostMemory: *value = 1; break;
    default: *value = 0; break;
  }
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize(void) {
  return call("cudaDeviceSynchronize", [&] {
    Queue::instance().wait_all();
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceReset(void) {
  Queue::instance().wait_all();
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *total = Memory::instance().total();
  *free = *total - Memory::instance().used();
  return cudaSuccess;
}

}  // extern "C"

// Modules that a program loads at run time as PTX text, such as the output of the linker in runtime_programs.cpp.

namespace brokkr::ptx {
namespace {

struct Library {
  std::unique_ptr<Module> module = std::make_unique<Module>();
  std::vector<const void*> kernels;  // handles
};
Library& library_of(cudaLibrary_t library) { return *reinterpret_cast<Library*>(library); }

}  // namespace
}  // namespace brokkr::ptx

using namespace brokkr::ptx;

extern "C" {

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  return call("cudaLibraryLoadData", [&] {
    auto made = std::make_unique<Library>();
    made->module->program = build_program(static_cast<const char*>(code));
    *library = reinterpret_cast<cudaLibrary_t>(made.release());
    return cudaSuccess;
  });
}
// A kernel's handle is the address of its name.
cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return call("cudaLibraryGetKernel", [&] {
    Library& l = library_of(library);
    const Function* const function = l.module->program->find(name);
    if (function == nullptr || !function->entry) return cudaErrorInvalidDeviceFunction;
    const std::lock_guard lock(registry().mutex);
    Kernel& known = registry().kernels[function];
    known.module = reinterpret_cast<void**>(l.module.get());
    known.name = name;
    l.kernels.push_back(function);
    *kernel = reinterpret_cast<cudaKernel_t>(const_cast<Function*>(function));
    return cudaSuccess;
  });
}
// The program object is kept, because instruction counts refer to it.
cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  Queue::instance().wait_all();
  Library& l = library_of(library);
  const std::lock_guard lock(registry().mutex);
  for (const void* const kernel : l.kernels) registry().kernels.erase(kernel);
  l.module.release();
  delete &l;
  return cudaSuccess;
}

}  // extern "C"

// The results of runtime calls as error codes and texts.

namespace brokkr::ptx {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

struct ErrorText {
  cudaError_t error;
  const char *name, *text;
};
constexpr ErrorText kErrors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorInvalidPtx, "cudaErrorInvalidPtx", "a PTX module cannot be built"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated (deadlock)"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
};
constexpr ErrorText kOther = {cudaErrorUnknown, "cudaError", "error of the PTX interpreter"};

const ErrorText& text_of(cudaError_t error) {
  const auto* at =
      std::find_if(std::begin(kErrors), std::end(kErrors), [&](const ErrorText& t) { return t.error == error; });
  return at == std::end(kErrors) ? kOther : *at;
}

}  // namespace

cudaError_t note(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
  return error;
}

cudaError_t call(const char* name, const std::function<cudaError_t()>& body) {
  cudaError_t error = cudaSuccess;
  try {
    error = cudaError_t(Queue::instance().fault());
    if (error == cudaSuccess) error = body();
    if (error == cudaSuccess) error = cudaError_t(Queue::instance().fault());
  } catch (const Invalid& invalid) {
    error = invalid.error;
  } catch (const std::exception& what) {
    std::fprintf(stderr, "ptx: %s: %s\n", name, what.what());
    error = cudaErrorInvalidPtx;
  }
  if (settings().verbose > 1 || (settings().verbose > 0 && error != cudaSuccess && error != cudaErrorNotReady))
    std::fprintf(stderr, "ptx: %s: %s\n", name, cudaGetErrorName(error));
  return note(error);
}

}  // namespace brokkr::ptx

using namespace brokkr::ptx;

extern "C" {

cudaError_t cudaGetLastError(void) {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError(void) { return last_error; }
const char* cudaGetErrorName(cudaError_t error) { return text_of(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return text_of(error).text; }

}  // extern "C"
