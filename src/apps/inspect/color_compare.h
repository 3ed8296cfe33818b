// A picture of a captured frame beside that of the game's own driver.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr {

// A pixel flips where a threshold in a shader falls to the other side by its last bit: an alpha test, a shadow's edge.
// It then differs by more than this, of 255, in a channel.
inline constexpr int kFlip = 16;

struct ColorComparison {
  uint64_t pixels = 0;
  uint64_t within_2 = 0, within_4 = 0, within_16 = 0;  // in every channel, of 255
  uint64_t flips() const { return pixels - within_16; }
  int most = 0;        // largest difference of a channel
  double psnr_db = 0;  // 10 log10(255^2 / mean squared difference); infinity for equal pictures
  double kept_db = 0;  // the same of pixels that do not flip; 0 where all do
  double percent(uint64_t part) const { return pixels == 0 ? 100.0 : 100.0 * double(part) / double(pixels); }
};

// RGBA8 (0xAABBGGRR), alpha left out. Throws std::invalid_argument where the sizes differ.
ColorComparison compare_colors(std::span<const uint32_t> ours, std::span<const uint32_t> reference);

// How close a picture must be to count as the game's. `exact`: the driver filtered textures as the specification says
// (Mesa's GALLIVM_PERF, which captures note); `driver`: with approximations of its own.
enum class ColorLimits : uint8_t { exact, driver };
ColorLimits limits_of(const Frame& frame);
bool is_close(const ColorComparison& comparison, ColorLimits limits);
// "45 dB without flips, 99.5 % within 2 of 255"
std::string describe(ColorLimits limits);

// Ours, the reference and their difference times `gain` beside each other; rows as in the pictures.
std::vector<uint32_t> side_by_side(int width, std::span<const uint32_t> ours, std::span<const uint32_t> reference,
                                   int gain);

}  // namespace brokkr
