// The path tracer compiled for one CPU machine (BROKKR_ISA).
#include "trace/region.h"
#include "trace/tables.h"

BROKKR_MACHINE_BEGIN
namespace trace_build {

static void run_warp(const trace::TracePlan& plan, int warp) {
  Warp w;
  trace_machine::run_trace(w, plan, warp);
}

extern const trace::TraceKernels kernels;
const trace::TraceKernels kernels = {kWidth, &run_warp, nullptr, &trace_machine::trace_memory};

}  // namespace trace_build
BROKKR_MACHINE_END
