// The path tracer compiled for one machine of the CPU (BROKKR_ISA).
#include "trace/region.h"
#include "trace/trace_kernels.h"

BROKKR_MACHINE_BEGIN
namespace trace_build {

static void run_warp(const trace::TracePlan& plan, int warp) {
  Warp w;
  trace_machine::run_trace(w, plan, warp);
}

extern const trace::TraceKernels kernels;
const trace::TraceKernels kernels = {kWidth,
                                     {&run_warp, nullptr},
                                     [](bool adaptive, uint32_t capacity, uint32_t workers) {
                                       return adaptive
                                                  ? ProgramMemory<trace_machine::AdaptiveTree>::bytes(capacity, workers)
                                                  : ProgramMemory<trace_machine::EvenTree>::bytes(capacity, workers);
                                     },
                                     [](bool adaptive, uint32_t capacity) {
                                       return adaptive ? ProgramMemory<trace_machine::AdaptiveTree>::open_at(capacity)
                                                       : ProgramMemory<trace_machine::EvenTree>::open_at(capacity);
                                     }};

}  // namespace trace_build
BROKKR_MACHINE_END
