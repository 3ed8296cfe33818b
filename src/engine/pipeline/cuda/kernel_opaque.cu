// The kernel for frames that need no optional feature: opaque order-free draws, flat or of their own material.
#define BROKKR_KERNEL run_frame_opaque
#define BROKKR_KERNEL_FEATURES 0u
#include "pipeline/cuda/kernel.cu"
