// The builds of the CPU machine that read, write and make texels in tests.
#pragma once

#include <vector>

#include "pipeline/cpu_machine.h"
#include "shader/texel_kernels.h"

namespace brokkr {

#define X(isa)                             \
  inline namespace isa {                   \
  extern const TexelKernels texel_kernels; \
  }
BROKKR_HAVE_ISA_LIST
#undef X

namespace shader::test {

// The builds that this processor can run.
inline std::vector<const TexelKernels*> runnable_texel_kernels() {
  std::vector<const TexelKernels*> kernels;
#define X(isa) \
  if (cpu_supports(#isa)) kernels.push_back(&isa::texel_kernels);
  BROKKR_HAVE_ISA_LIST
#undef X
  return kernels;
}

}  // namespace shader::test
}  // namespace brokkr
