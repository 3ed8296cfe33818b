#include "shade/kernels.h"

namespace brokkr {

#define X(isa)                                     \
  inline namespace isa {                           \
  extern const shader::ShaderKernel shader_kernel; \
  }
BROKKR_HAVE_ISA_LIST
#undef X

namespace shader {

const ShaderKernel* find_kernel([[maybe_unused]] const std::string& isa) {
#define X(build) \
  if (isa == #build) return &build::shader_kernel;
  BROKKR_HAVE_ISA_LIST
#undef X
  return nullptr;
}

std::vector<std::string> kernel_names() {
#define X(build) #build,
  return {BROKKR_HAVE_ISA_LIST};
#undef X
}

}  // namespace shader
}  // namespace brokkr
