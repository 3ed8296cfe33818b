#include <cstring>

#include "pipeline/simt_device.h"
#include "reyes/reyes_kernels.h"

namespace brokkr {
#define X(isa)                       \
  inline namespace isa {             \
  namespace reyes {                  \
  extern const ReyesKernels kernels; \
  }                                  \
  }
BROKKR_HAVE_ISA_LIST
#undef X

const ReyesKernels* find_reyes_kernels(const char* build) {
#define X(isa) \
  if (std::strcmp(build, #isa) == 0) return &isa::reyes::kernels;
  BROKKR_HAVE_ISA_LIST
#undef X
#if defined(BROKKR_REYES_CUDA)
  if (std::strcmp(build, "cuda") == 0) return &cuda_reyes_kernels();
#endif
  if (std::strcmp(build, "simt") == 0) return static_cast<const ReyesKernels*>(simt_device().kernels("reyes"));
  return nullptr;
}

}  // namespace brokkr
