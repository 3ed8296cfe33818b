// The experiments compiled for one CPU machine (BROKKR_ISA).
#include "lab/workloads.h"

BROKKR_MACHINE_BEGIN
namespace lab_build {
using namespace queue_lab;
using namespace schedule_lab;

template <class Plan, void (*body)(Warp&, const Plan&, int)>
static void run_warp(const Plan& plan, int warp) {
  Warp w;
  body(w, plan, warp);
}
template <class Plan, void (*body)(Warp&, const Plan&, int)>
static constexpr LabKernel<Plan> kernel() {
  return {&run_warp<Plan, body>, nullptr};
}

extern const LabKernels kernels;
const LabKernels kernels = BROKKR_EVERY_KERNEL;

}  // namespace lab_build
BROKKR_MACHINE_END
