// The kernel of frames without any of the features: opaque draws in any order, flat or of their own material.
#define BROKKR_KERNEL run_frame_opaque
#define BROKKR_KERNEL_FEATURES 0u
#include "pipeline/cuda/kernel.cu"
