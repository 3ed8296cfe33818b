// The path tracer compiled for CUDA: the same text as trace/trace_kernel.cpp.
#include "trace/region.h"
#include "trace/tables.h"

namespace brokkr::trace {
namespace {

__global__ void __launch_bounds__(256) run_warps(const __grid_constant__ TracePlan plan) {
  Warp w;
  trace_machine::run_trace(w, plan, int((blockIdx.x * blockDim.x + threadIdx.x) / 32));
}

}  // namespace

const TraceKernels& cuda_trace_kernels() {
  static const TraceKernels kernels = {32, nullptr, reinterpret_cast<const void*>(&run_warps),
                                       &trace_machine::trace_memory};
  return kernels;
}

}  // namespace brokkr::trace
