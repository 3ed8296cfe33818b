// Colours in the storage formats of render targets, on the host.
#pragma once

#include <cstdint>
#include <glm/vec4.hpp>

#include "brokkr/frame.h"

namespace brokkr {

// Encodes a linear colour in a target's storage format: RGBA8 in the lower 32 bits (0xAABBGGRR), or RGBA16F with red in
// the lowest 16 bits.
uint64_t color_code(ColorFormat format, const glm::vec4& color);

// Decodes an sRGB component in 0..1 to linear light (IEC 61966-2-1).
double linear_from_srgb(double encoded);

float half_to_float(uint16_t half);

}  // namespace brokkr
