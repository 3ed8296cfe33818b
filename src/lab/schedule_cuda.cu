// The scheduling experiments compiled for CUDA: the same text as lab/schedule_kernel.cpp.
#include "lab/lab_kernels.h"
#include "lab/schedule_workload.h"

namespace brokkr::lab {
namespace {

template <class Root>
__global__ void program_kernel(const __grid_constant__ SchedulePlan plan) {
  Warp w;
  const int warp = int((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  if (warp < int(plan.crew.warps)) schedule_lab::run_program<Root>(w, plan, warp);
}

}  // namespace

CudaScheduleKernel cuda_schedule_kernel(ScheduleProgram program) {
  using namespace schedule_lab;
  switch (program) {
#define BROKKR_CASE(name, Root) \
  case ScheduleProgram::name: return {&start_of<Root>, reinterpret_cast<const void*>(&program_kernel<Root>)};
    BROKKR_EVERY_PROGRAM(BROKKR_CASE)
#undef BROKKR_CASE
  }
  return {};
}

}  // namespace brokkr::lab
