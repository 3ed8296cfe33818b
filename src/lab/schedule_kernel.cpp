// The scheduling experiments compiled for one machine of the CPU (BROKKR_ISA).
#include "lab/lab_kernels.h"

#include "lab/schedule_workload.h"

BROKKR_MACHINE_BEGIN
namespace schedule_lab {

template <class Root>
static void run(const SchedulePlan& plan, int worker) {
  Warp w;
  run_program<Root>(w, plan, worker);
}

extern const CpuScheduleLab lab;
const CpuScheduleLab lab = {{
#define BROKKR_ENTRY(name, Root) {&start_of<Root>, &run<Root>},
    BROKKR_EVERY_PROGRAM(BROKKR_ENTRY)
#undef BROKKR_ENTRY
}};

}  // namespace schedule_lab
BROKKR_MACHINE_END
