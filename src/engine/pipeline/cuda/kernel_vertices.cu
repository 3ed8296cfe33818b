// The kernel for frames whose geometry stage runs vertex programs. It has all features.
#define BROKKR_KERNEL run_frame_vertices
#define BROKKR_KERNEL_FEATURES kEveryFeature
#include "pipeline/cuda/kernel.cu"
