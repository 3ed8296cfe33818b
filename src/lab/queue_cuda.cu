// The queue experiments compiled for CUDA: the same text as lab/queue_kernel.cpp.
#include "lab/lab_kernels.h"
#include "lab/queue_workload.h"

namespace brokkr::lab {
namespace {

BROKKR_FN int warp_index() { return int((blockIdx.x * blockDim.x + threadIdx.x) / 32); }

__global__ void atomics_kernel(const __grid_constant__ AtomicPlan plan) {
  Warp w;
  if (warp_index() < int(plan.crew.warps)) queue_lab::run_atomics(w, plan, warp_index());
}
template <class Queue>
__global__ void mix_kernel(const __grid_constant__ MixPlan plan) {
  Warp w;
  if (warp_index() < int(plan.crew.warps)) queue_lab::run_mix<Queue>(w, plan, warp_index());
}
template <class Queue>
__global__ void rank_kernel(const __grid_constant__ RankPlan plan) {
  Warp w;
  if (warp_index() < int(plan.crew.warps)) queue_lab::run_rank<Queue>(w, plan, warp_index());
}

}  // namespace

CudaQueueKernels cuda_queue_kernels(QueueKind kind) {
  switch (kind) {
#define BROKKR_CASE(name, Class)                                                                     \
  case QueueKind::name:                                                                              \
    return {&Class<>::bytes, &Class<>::prepare, reinterpret_cast<const void*>(&mix_kernel<Class<>>), \
            reinterpret_cast<const void*>(&rank_kernel<Class<>>)};
    BROKKR_EVERY_QUEUE(BROKKR_CASE)
#undef BROKKR_CASE
  }
  return {};
}

const void* cuda_atomics_kernel() { return reinterpret_cast<const void*>(&atomics_kernel); }

}  // namespace brokkr::lab
