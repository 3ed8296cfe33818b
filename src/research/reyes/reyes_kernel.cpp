// The micropolygon task program compiled for one CPU machine (BROKKR_ISA).
#include "reyes/reyes_program.h"

BROKKR_MACHINE_BEGIN
namespace reyes {

template <void (*body)(Warp&, const ReyesPlan&, int)>
static void run_warp(const ReyesPlan& plan, int warp) {
  Warp w;
  body(w, plan, warp);
}
template <void (*body)(Warp&, const ReyesPlan&, int)>
static constexpr ReyesKernel kernel() {
  return {&run_warp<body>, nullptr};
}

extern const ReyesKernels kernels;
const ReyesKernels kernels = BROKKR_REYES_KERNELS;

}  // namespace reyes
BROKKR_MACHINE_END
