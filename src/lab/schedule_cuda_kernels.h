// Kernels of the scheduling experiments, for cudaLaunchKernel with the plan as the one argument.
#pragma once

#include "lab/schedule_plan.h"

namespace brokkr::lab {

struct CudaScheduleKernel {
  ProgramStart (*start)(const SchedulePlan&) = nullptr;
  const void* run = nullptr;
};
CudaScheduleKernel cuda_schedule_kernel(ScheduleProgram program);

}  // namespace brokkr::lab
