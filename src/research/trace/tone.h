// Traced pictures for screens.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/tracer.h"

namespace brokkr::trace {

enum class Tone : uint8_t {
  clamp,   // what is above 1 is white
  filmic,  // c (1 + c / 16) / (1 + c) of each channel: 4 becomes white [Reinhard02, eq. 4]
};

// RGBA8, 0xAABBGGRR, sRGB-encoded, 2^exposure times as bright; rows bottom to top.
std::vector<uint32_t> screen_pixels(const TracePicture& picture, float exposure, Tone tone);

// How often pixels were sampled, as greys: white is the most.
std::vector<uint32_t> sample_map_pixels(const TracePicture& picture);

}  // namespace brokkr::trace
