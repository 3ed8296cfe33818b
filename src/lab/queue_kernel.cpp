// The queue experiments compiled for one machine of the CPU (BROKKR_ISA).
#include "lab/lab_kernels.h"

#include "lab/queue_workload.h"

BROKKR_MACHINE_BEGIN
namespace queue_lab {

template <class Queue>
static void mix(const MixPlan& plan, int warp) {
  Warp w;
  run_mix<Queue>(w, plan, warp);
}
template <class Queue>
static void rank(const RankPlan& plan, int warp) {
  Warp w;
  run_rank<Queue>(w, plan, warp);
}
static void atomics(const AtomicPlan& plan, int warp) {
  Warp w;
  run_atomics(w, plan, warp);
}

extern const CpuQueueLab lab;
const CpuQueueLab lab = {kWidth,
                         atomics,
                         {
#define BROKKR_ENTRY(name, Class) {&Class<>::bytes, &Class<>::prepare, &mix<Class<>>, &rank<Class<>>},
                             BROKKR_EVERY_QUEUE(BROKKR_ENTRY)
#undef BROKKR_ENTRY
                         }};

}  // namespace queue_lab
BROKKR_MACHINE_END
