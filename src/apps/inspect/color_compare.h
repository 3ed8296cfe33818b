// Compares a captured frame's picture with that of the game's own driver.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr {

// A pixel flips if a threshold in a shader, such as an alpha test or a shadow's edge, falls to the other side by a last
// bit. It then differs by more than this (of 255) in some channel.
inline constexpr int kFlip = 16;

struct ColorComparison {
  uint64_t pixels = 0;
  uint64_t within_2 = 0, within_4 = 0, within_16 = 0;  // within this difference in every channel, of 255
  uint64_t flips() const { return pixels - within_16; }
  int most = 0;        // largest difference of a channel
  double psnr_db = 0;  // 10 log10(255^2 / mean squared difference); infinity for equal pictures
  double kept_db = 0;  // the same without flipped pixels; 0 if all flip
  double percent(uint64_t part) const { return pixels == 0 ? 100.0 : 100.0 * double(part) / double(pixels); }
};

// RGBA8 (0xAABBGGRR), ignoring alpha. Throws std::invalid_argument if the sizes differ.
ColorComparison compare_colors(std::span<const uint32_t> ours, std::span<const uint32_t> reference);

// How close a picture must be to count as the game's. `exact`: the driver filtered textures as specified (Mesa's
// GALLIVM_PERF, which captures record); `driver`: with its own approximations.
enum class ColorLimits : uint8_t { exact, driver };
ColorLimits limits_of(const Frame& frame);
bool is_close(const ColorComparison& comparison, ColorLimits limits);
// "45 dB without flips, 99.5 % within 2 of 255"
std::string describe(ColorLimits limits);

// Our picture, the reference and their difference times `gain`, side by side; rows as in the inputs.
std::vector<uint32_t> side_by_side(int width, std::span<const uint32_t> ours, std::span<const uint32_t> reference,
                                   int gain);

}  // namespace brokkr
