// The builds of the scheduling experiments for the CPU: one per machine (lab/schedule_kernel.cpp).
#pragma once

#include "lab/schedule_plan.h"

namespace brokkr::lab {

struct CpuScheduleEntry {
  ProgramStart (*start)(const SchedulePlan&);
  void (*run)(const SchedulePlan&, int worker);
};
struct CpuScheduleLab {
  CpuScheduleEntry program[kSchedulePrograms];  // by ScheduleProgram
};

}  // namespace brokkr::lab
