// How surfaces are shown.
#pragma once

#include <cstdint>

namespace brokkr {

// `material` is the draw's own material (Blinn-Phong for OBJ, the lit colour of the draw for captures).
enum class Shading : uint8_t { material, draw, triangle, batch, depth, normal, overdraw, flat };

}  // namespace brokkr
