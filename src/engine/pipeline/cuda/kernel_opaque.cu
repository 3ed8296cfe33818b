// The kernel for frames that need no optional feature: opaque draws in any order, with one colour per draw or material.
#define BROKKR_KERNEL run_frame_opaque
#define BROKKR_KERNEL_FEATURES 0u
#include "pipeline/cuda/kernel.cu"
