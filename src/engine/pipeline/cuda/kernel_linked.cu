// The kernel of frames whose programs are compiled: it has every feature but stamps, and calls programs that it does
// not have. Relocatable code of it is a part of the library; with the programs of a frame it becomes a kernel while the
// program runs (pipeline/cuda/linked_programs.h).
#define BROKKR_KERNEL run_frame_linked
#define BROKKR_KERNEL_FEATURES (kEveryFeature & ~uint32_t(kFeatureStamps))
#define BROKKR_KERNEL_LINKAGE extern "C"
#define BROKKR_KERNEL_LINKED
#include "pipeline/cuda/kernel.cu"
