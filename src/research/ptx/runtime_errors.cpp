// Error results of runtime calls.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "ptx/runtime.h"
#include "ptx/settings.h"

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
