// The table of all experiments: the same text for every build, which defines by kernel<Plan, body>() how a body is run.
#pragma once

#include "lab/lab_kernels.h"
#include "lab/queue_workload.h"
#include "lab/schedule_workload.h"

#define BROKKR_QUEUE_KERNELS(kind, Class) \
  {&Class<>::bytes, &Class<>::prepare, kernel<MixPlan, &run_mix<Class<>>>(), kernel<RankPlan, &run_rank<Class<>>>()},
#define BROKKR_PROGRAM_KERNEL(program, Root) {&start_of<Root>, kernel<SchedulePlan, &run_program<Root>>()},
#define BROKKR_EVERY_KERNEL                                                                   \
  {                                                                                           \
    kWidth, kernel<AtomicPlan, &run_atomics>(), {BROKKR_EVERY_QUEUE(BROKKR_QUEUE_KERNELS)}, { \
      BROKKR_EVERY_PROGRAM(BROKKR_PROGRAM_KERNEL)                                             \
    }                                                                                         \
  }
