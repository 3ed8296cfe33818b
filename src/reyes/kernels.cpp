#include <stdexcept>

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

const ReyesKernels& reyes_kernels(const std::string& build) {
#define X(isa) \
  if (build == #isa) return isa::reyes::kernels;
  BROKKR_HAVE_ISA_LIST
#undef X
#if defined(BROKKR_REYES_CUDA)
  if (build == "cuda") return cuda_reyes_kernels();
#endif
  throw std::invalid_argument("micropolygons: '" + build + "' is not built into this program");
}

}  // namespace brokkr
