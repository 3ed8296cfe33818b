// Colours on the host: codes of the storage formats of render targets, and the colours of Shading::overdraw.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
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

// The colours for 0, 1, 2, 4, 8, 16 and 32 fragments or more (0xAABBGGRR): black, blue, cyan, green, yellow, red,
// white.
inline constexpr std::array<uint32_t, 7> kOverdrawColors = {0xff000000, 0xffb03020, 0xffc0a000, 0xff40a020,
                                                            0xff10c8e8, 0xff2030d8, 0xffffffff};

// The colour of a sample that `fragments` fragments covered.
inline uint32_t overdraw_color(uint32_t fragments) {
  return kOverdrawColors[std::min(size_t(std::bit_width(fragments)), kOverdrawColors.size() - 1)];
}

}  // namespace brokkr
