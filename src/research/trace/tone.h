// Converts traced pictures for the screen.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/tracer.h"

namespace brokkr::trace {

enum class Tone : uint8_t {
  clamp,   // values above 1 become white
  filmic,  // c (1 + c / 16) / (1 + c) per channel: 4 becomes white [Reinhard02, eq. 4]
};

// RGBA8, 0xAABBGGRR, sRGB-encoded, scaled by 2^exposure; rows bottom to top.
std::vector<uint32_t> screen_pixels(const TracePicture& picture, float exposure, Tone tone);

// Samples per pixel as greys: white is the maximum.
std::vector<uint32_t> sample_map_pixels(const TracePicture& picture);

}  // namespace brokkr::trace
