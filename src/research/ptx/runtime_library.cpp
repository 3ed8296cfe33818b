// Modules that a program loads at run time: PTX text, including the output of runtime_linker.cpp.
#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <vector>

#include "ptx/runtime.h"

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
// The program object stays, because instruction counts refer to it.
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
