// All experiments as one table: the same text for every build, which says by kernel<Plan, body>() how it runs a body.
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
