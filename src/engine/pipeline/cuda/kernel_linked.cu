// The kernel for frames with compiled programs: every feature but stamps, samples and vertex programs. It calls
// programs as external functions. The library contains its relocatable code, which is linked at run time with the
// programs of a frame (pipeline/cuda/linked_programs.h).
#define BROKKR_KERNEL run_frame_linked
#define BROKKR_KERNEL_FEATURES (kEveryFeature & ~uint32_t(kFeatureStamps | kFeatureSamples | kFeatureVertexPrograms))
#define BROKKR_KERNEL_LINKAGE extern "C"
#define BROKKR_KERNEL_LINKED
#include "pipeline/cuda/kernel.cu"
