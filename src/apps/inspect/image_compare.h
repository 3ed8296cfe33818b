// Compares pictures of one frame: where and how much they differ, and how far a captured frame's picture is from that
// of the game's own driver.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "brokkr/frame.h"
#include "brokkr/image.h"

namespace brokkr {

// The pictures and depths from the game's own driver that a captured frame holds (Reference in frame.h).

// The latest reference of frame.targets[target] that has a picture; null if there is none.
const Reference* original_of(const Frame& frame, uint32_t target);

// The reference's picture, rows bottom to top. Throws std::runtime_error that names the frame's file if it cannot be
// decoded.
Image original_picture(const Frame& frame, const Reference& reference);

// Compares two pictures of the same frame: where and how much they differ.
struct ImageComparison {
  uint64_t pixels = 0, differing = 0;  // differing: in red, green or blue
  uint64_t far = 0;                    // by more than one, of 255
  int max_difference = 0;              // largest difference of a channel, of 255
  double psnr_db = 0;                  // 10 log10(255^2 / mean squared difference); infinity for equal pictures
};

// RGBA8 (0xAABBGGRR), ignoring alpha. Throws std::invalid_argument if the sizes differ.
ImageComparison compare_images(std::span<const uint32_t> a, std::span<const uint32_t> b);

// |a - b| per channel times `gain`, clamped to 255; opaque.
std::vector<uint32_t> amplified_difference(std::span<const uint32_t> a, std::span<const uint32_t> b, int gain);

// Compares a captured frame's picture with that of the game's own driver.

// A pixel flips if one bit moves a value across a threshold in a shader, such as an alpha test or the edge of a shadow.
// It then differs by more than this (of 255) in some channel.
inline constexpr int kFlip = 16;

struct ColorComparison {
  uint64_t pixels = 0;
  uint64_t within_2 = 0, within_4 = 0, within_16 = 0;  // within this difference in every channel, of 255
  uint64_t flips() const { return pixels - within_16; }
  int max_difference = 0;  // largest difference of a channel
  double psnr_db = 0;      // 10 log10(255^2 / mean squared difference); infinity for equal pictures
  double kept_db = 0;      // the same without flipped pixels; 0 if all flip
  double percent(uint64_t part) const { return pixels == 0 ? 100.0 : 100.0 * double(part) / double(pixels); }
};

// RGBA8 (0xAABBGGRR), ignoring alpha. Throws std::invalid_argument if the sizes differ.
ColorComparison compare_colors(std::span<const uint32_t> ours, std::span<const uint32_t> reference);

// The tolerances within which a picture counts as the game's. `exact`: the driver filtered textures as specified
// (Mesa's GALLIVM_PERF, which captures record); `driver`: with its own approximations.
enum class ColorLimits : uint8_t { exact, driver };
ColorLimits limits_of(const Frame& frame);
bool is_close(const ColorComparison& comparison, ColorLimits limits);
// "45 dB without flips, 99.5 % within 2 of 255"
std::string describe(ColorLimits limits);

// Our picture, the reference and their difference times `gain`, side by side; rows as in the inputs.
std::vector<uint32_t> side_by_side(int width, std::span<const uint32_t> ours, std::span<const uint32_t> reference,
                                   int gain);

}  // namespace brokkr
