// The stages of differentiable rendering compiled for one instruction set of the CPU, or for the emulated machine
// (BROKKR_ISA).
#include "diff/stages.h"

BROKKR_MACHINE_BEGIN

static void run_stage(DiffStage stage, const void* data, DiffPart part) {
  switch (stage) {
#define X(name, type) \
  case DiffStage::name: return Stage_##name::run(*static_cast<const type*>(data), part);
    BROKKR_DIFF_STAGES(X)
#undef X
  }
}

extern const DiffKernel diff_kernel;
const DiffKernel diff_kernel = {kWidth, &run_stage};

BROKKR_MACHINE_END
