// The builds of the experiments: entries per machine of the CPU (lab/queue_kernel.cpp, lab/schedule_kernel.cpp), and
// kernels for cudaLaunchKernel with the plan as the one argument.
#pragma once

#include "lab/queue_plan.h"
#include "lab/schedule_plan.h"

namespace brokkr::lab {

struct CpuQueueEntry {
  size_t (*bytes)(const QueueShape&);
  void (*prepare)(void*, const QueueShape&);
  void (*mix)(const MixPlan&, int warp);
  void (*rank)(const RankPlan&, int warp);
};

struct CpuQueueLab {
  int width;  // lanes of a warp
  void (*atomics)(const AtomicPlan&, int warp);
  CpuQueueEntry queue[kQueueKinds];  // by QueueKind
};

struct CpuScheduleEntry {
  ProgramStart (*start)(const SchedulePlan&);
  void (*run)(const SchedulePlan&, int worker);
};
struct CpuScheduleLab {
  CpuScheduleEntry program[kSchedulePrograms];  // by ScheduleProgram
};

struct CudaQueueKernels {
  size_t (*bytes)(const QueueShape&) = nullptr;
  void (*prepare)(void*, const QueueShape&) = nullptr;  // host memory
  const void* mix = nullptr;                            // MixPlan
  const void* rank = nullptr;                           // RankPlan
};
CudaQueueKernels cuda_queue_kernels(QueueKind kind);
const void* cuda_atomics_kernel();  // AtomicPlan

struct CudaScheduleKernel {
  ProgramStart (*start)(const SchedulePlan&) = nullptr;
  const void* run = nullptr;
};
CudaScheduleKernel cuda_schedule_kernel(ScheduleProgram program);

}  // namespace brokkr::lab
