// Parts of the pipeline that a kernel may omit. CUDA has several kernels, compiled from the same text, and draws a
// frame with the smallest kernel that has the features the frame needs (pipeline/cuda/kernel.h). Features that a kernel
// omits cost it no code, registers or stack. The kernels of CPUs have all features.
#pragma once

#include <cstdint>

namespace brokkr {

enum Feature : uint32_t {
  kFeatureOrdered = 1u << 0,         // phases drawn in submission order
  kFeatureBlits = 1u << 1,           // blits
  kFeaturePlanned = 1u << 2,         // batches formed before rendering
  kFeatureReuse = 1u << 3,           // vertices shared while rendering, or long vertex shaders (--vertex-work)
  kFeaturePolicies = 1u << 4,        // policies other than fill-level
  kFeatureShadings = 1u << 5,        // shadings other than flat, material and program
  kFeaturePrograms = 1u << 6,        // shading mode program: fragment programs, and texture commands of captured frames
  kFeatureStamps = 1u << 7,          // stamps of fragments
  kFeatureSamples = 1u << 8,         // targets with several samples a pixel
  kFeatureVertexPrograms = 1u << 9,  // vertex programs in the geometry stage (--vertex-stage pipeline)
};
inline constexpr uint32_t kEveryFeature = (1u << 10) - 1;

// The features of the kernel that is being compiled. Each file defines its own.
#if !defined(BROKKR_KERNEL_FEATURES)
#define BROKKR_KERNEL_FEATURES kEveryFeature
#endif
static constexpr uint32_t kKernelFeatures = BROKKR_KERNEL_FEATURES;

}  // namespace brokkr
