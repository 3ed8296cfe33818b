#include "pipeline/cuda/machine.h"

namespace brokkr {

#if defined(BROKKR_SIMT_DEVICE)
const char* const kCudaName = "simt";
#else
const char* const kCudaName = "cuda";
#endif

}  // namespace brokkr
