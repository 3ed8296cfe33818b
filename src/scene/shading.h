// How surfaces are shown.
#pragma once

#include <cstdint>

namespace brokkr {

// `material` is the draw's own material (Blinn-Phong for OBJ, the lit colour of the draw for captures).
enum class Shading : uint8_t {
  material,
  draw,
  triangle,
  batch,
  depth,
  normal,
  overdraw,
  flat,
  wireframe,
  multiply_add
};

// Whether the shader looks at materials: it then may discard fragments of materials with an alpha cutoff and of draws
// with an alpha test.
constexpr bool shows_materials(Shading s) { return s == Shading::material; }

// Whether the shader compares the samples of a 2x2 quad (kDerivatives): its lanes then come as quads.
constexpr bool takes_derivatives(Shading s) { return s == Shading::wireframe; }

}  // namespace brokkr
