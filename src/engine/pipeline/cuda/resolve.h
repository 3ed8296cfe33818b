// Writes a target's colour from the device's planes directly to a CUDA surface, for windows, without a copy through the
// host.
#pragma once

#include <cuda_runtime.h>

#include "target/target_tables.h"

namespace brokkr {

struct ResolvePlanes {
  const RegionState* region_state;
  const uint32_t* color;
  const uint32_t* color_high;  // null if no target is RGBA16F
  TargetRecord target;
  uint32_t layer;
  int32_t region;  // edge of a region in pixels
};

// Writes opaque RGBA8 texels, row 0 at the bottom as in OpenGL; floating-point colour is clamped and sRGB-encoded. The
// surface must be at least as large as the target. Returns when the copy is complete. Throws std::runtime_error.
void resolve_to_surface(const ResolvePlanes& planes, cudaSurfaceObject_t surface, cudaStream_t stream);

}  // namespace brokkr
