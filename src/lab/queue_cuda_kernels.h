// Kernels of the queue experiments, for cudaLaunchKernel with the plan as the one argument.
#pragma once

#include "lab/queue_plan.h"

namespace brokkr::lab {

struct CudaQueueKernels {
  size_t (*bytes)(const QueueShape&) = nullptr;
  void (*prepare)(void*, const QueueShape&) = nullptr;  // host memory
  const void* mix = nullptr;                            // MixPlan
  const void* rank = nullptr;                           // RankPlan
};
CudaQueueKernels cuda_queue_kernels(QueueKind kind);
const void* cuda_atomics_kernel();  // AtomicPlan

}  // namespace brokkr::lab
