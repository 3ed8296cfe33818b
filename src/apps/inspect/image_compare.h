// Compares two pictures of the same frame: where and how much they differ.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace brokkr {

struct ImageComparison {
  uint64_t pixels = 0, differing = 0;  // differing: in red, green or blue
  uint64_t far = 0;                    // by more than one, of 255
  int most = 0;                        // largest difference of a channel, of 255
  double psnr_db = 0;                  // 10 log10(255^2 / mean squared difference); infinity for equal pictures
};

// RGBA8 (0xAABBGGRR), ignoring alpha. Throws std::invalid_argument if the sizes differ.
ImageComparison compare_images(std::span<const uint32_t> a, std::span<const uint32_t> b);

// |a - b| per channel times `gain`, clamped to 255; opaque.
std::vector<uint32_t> amplified_difference(std::span<const uint32_t> a, std::span<const uint32_t> b, int gain);

}  // namespace brokkr
