// The micropolygon task program compiled for CUDA: the same text as reyes/reyes_kernel.cpp.
#include "reyes/reyes_program.h"

namespace brokkr {
namespace {

using namespace reyes;

template <void (*body)(Warp&, const ReyesPlan&, int)>
__global__ void run_warps(const __grid_constant__ ReyesPlan plan) {
  Warp w;
  const int warp = int((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  if (warp < int(plan.workers)) body(w, plan, warp);
}
template <void (*body)(Warp&, const ReyesPlan&, int)>
ReyesKernel kernel() {
  return {nullptr, reinterpret_cast<const void*>(&run_warps<body>)};
}

}  // namespace

const ReyesKernels& cuda_reyes_kernels() {
  static const ReyesKernels kernels = BROKKR_REYES_KERNELS;
  return kernels;
}

}  // namespace brokkr
