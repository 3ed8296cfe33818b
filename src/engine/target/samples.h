// The coverage samples of a pixel: 1, 2, 4 or 8 at the standard positions of Vulkan ("Standard sample locations"),
// which are also llvmpipe's. All are multiples of 1/16 pixel, so 1/256-pixel coordinates hold them exactly.
#pragma once

#include <cstdint>

namespace brokkr {

inline constexpr uint32_t kMaxSamples = 8;

// The position of a sample relative to its pixel's centre, in 1/256 pixel.
struct SampleOffset {
  int32_t x, y;
};

// The positions of all samples, packed in 1/16 pixel from the pixel's lower left corner, four bits each. `samples`: 1,
// 2, 4 or 8.
constexpr uint32_t sample_places_x(uint32_t samples) {
  return samples == 8 ? 0xfb135d79u : samples == 4 ? 0xa2e6u : samples == 2 ? 0x4cu : 8u;
}
constexpr uint32_t sample_places_y(uint32_t samples) {
  return samples == 8 ? 0x1f7d39b5u : samples == 4 ? 0xea62u : samples == 2 ? 0x4cu : 8u;
}

// i: 0 .. samples - 1.
constexpr SampleOffset sample_offset(uint32_t samples, uint32_t i) {
  const uint32_t x = sample_places_x(samples), y = sample_places_y(samples);
  return {(int32_t((x >> (4 * i)) & 15u) - 8) * 16, (int32_t((y >> (4 * i)) & 15u) - 8) * 16};
}

// The largest distance of a sample from its pixel's centre along x or y, in 1/256 pixel.
constexpr uint32_t sample_reach(uint32_t samples) {
  return samples == 8 ? 112u : samples == 4 ? 96u : samples == 2 ? 64u : 0u;
}

}  // namespace brokkr
