// The builds of the experiments: one table per CPU machine (lab/lab_kernel.cpp) and one for CUDA (lab/lab_kernel.cu).
#pragma once

#include "lab/plans.h"
#include "pipeline/task_machine.h"

namespace brokkr::lab {

template <class Plan>
using LabKernel = TaskKernel<Plan>;

struct QueueKernels {
  size_t (*bytes)(const QueueShape&);
  void (*prepare)(void*, const QueueShape&);  // works on host memory
  LabKernel<MixPlan> mix;
  LabKernel<RankPlan> rank;
};

struct ProgramKernel {
  // The memory that the plan's program needs. Throws std::invalid_argument for an invalid queue capacity.
  ProgramStart (*start)(const SchedulePlan&);
  LabKernel<SchedulePlan> run;
};

struct LabKernels {
  int width;  // lanes per warp
  LabKernel<AtomicPlan> atomics;
  QueueKernels queue[kQueueKinds];           // by QueueKind
  ProgramKernel program[kSchedulePrograms];  // by ScheduleProgram
};

const LabKernels& cuda_lab_kernels();

}  // namespace brokkr::lab
