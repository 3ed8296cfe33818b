// The kernel for frames with compiled programs whose geometry stage runs compiled vertex programs: every feature but
// stamps and samples. It is linked as kernel_linked.cu is.
#define BROKKR_KERNEL run_frame_linked_vertices
#define BROKKR_KERNEL_FEATURES (kEveryFeature & ~uint32_t(kFeatureStamps | kFeatureSamples))
#define BROKKR_KERNEL_LINKAGE extern "C"
#define BROKKR_KERNEL_LINKED
#include "pipeline/cuda/kernel.cu"
