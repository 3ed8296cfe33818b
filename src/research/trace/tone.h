// Converts traced pictures for the screen.
#pragma once

#include <cstdint>
#include <glm/vec3.hpp>
#include <vector>

#include "trace/tracer.h"

namespace brokkr::trace {

enum class Tone : uint8_t {
  clamp,   // values above 1 become white
  filmic,  // c (1 + c / 16) / (1 + c) per channel: 4 becomes white [Reinhard02, eq. 4]
};

// The exposure, in factors of two, that gives the picture's logarithmic mean luminance a middle grey of 0.18
// [Reinhard02, eq. 1 and 2]. Pixels that show nothing but `sky`, and those without light or samples, do not count; 0 if
// there are no others.
float automatic_exposure(const TracePicture& picture, const glm::vec3& sky);

// RGBA8, 0xAABBGGRR, sRGB-encoded, scaled by 2^exposure; rows bottom to top.
std::vector<uint32_t> screen_pixels(const TracePicture& picture, float exposure, Tone tone);

// Samples per pixel as greys: white is the maximum.
std::vector<uint32_t> sample_map_pixels(const TracePicture& picture);

}  // namespace brokkr::trace
