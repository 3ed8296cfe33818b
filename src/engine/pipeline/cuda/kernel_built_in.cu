// The kernel for frames with built-in shaders: every feature but programs of both stages, stamps and samples.
#define BROKKR_KERNEL run_frame_built_in
#define BROKKR_KERNEL_FEATURES \
  (kEveryFeature & ~uint32_t(kFeaturePrograms | kFeatureStamps | kFeatureSamples | kFeatureVertexPrograms))
#include "pipeline/cuda/kernel.cu"
