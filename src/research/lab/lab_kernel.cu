// The experiments compiled for CUDA: the same text as lab/lab_kernel.cpp.
#include "lab/workloads.h"

namespace brokkr::lab {
namespace {

using namespace queue_lab;
using namespace schedule_lab;

template <class Plan, void (*body)(Warp&, const Plan&, int)>
__global__ void run_warps(const __grid_constant__ Plan plan) {
  Warp w;
  const int warp = int((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  if (warp < int(plan.crew.warps)) body(w, plan, warp);
}
template <class Plan, void (*body)(Warp&, const Plan&, int)>
LabKernel<Plan> kernel() {
  return {nullptr, reinterpret_cast<const void*>(&run_warps<Plan, body>)};
}

}  // namespace

const LabKernels& cuda_lab_kernels() {
  static const LabKernels kernels = BROKKR_EVERY_KERNEL;
  return kernels;
}

}  // namespace brokkr::lab
