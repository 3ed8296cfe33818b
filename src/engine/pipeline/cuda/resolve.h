// A target's colour from the device's planes straight into a CUDA surface, for windows: no copy through the host.
#pragma once

#include <cuda_runtime.h>

#include "target/target_tables.h"

namespace brokkr {

struct ResolvePlanes {
  const RegionState* region_state;
  const uint32_t* color;
  const uint32_t* color_high;  // null where no target has RGBA16F
  TargetRecord target;
  uint32_t layer;
  int32_t region;  // edge in pixels
};

// Writes RGBA8 texels, opaque, row 0 at the bottom as in OpenGL; floating-point colour clamped and sRGB-encoded. The
// surface is at least as large as the target. Returns when it is done. Throws std::runtime_error.
void resolve_to_surface(const ResolvePlanes& planes, cudaSurfaceObject_t surface, cudaStream_t stream);

}  // namespace brokkr
