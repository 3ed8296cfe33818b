// Compares a depth image with the one that the application's own driver drew.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr::app {

// Depths agree if they differ by at most this (window depth; 336 steps of a 24-bit depth buffer).
inline constexpr double kDepthTolerance = 2e-5;

// A replay of clip-space positions without programs cannot know which fragments a shader discarded. A pixel is "hard"
// where this does not matter: is_hard_writer holds for its last depth writer, or only a clear wrote the pixel.
struct DepthComparison {
  uint64_t pixels = 0, agree = 0;
  uint64_t hard_pixels = 0, hard_agree = 0;
  double worst = 0, hard_worst = 0;  // largest difference
  double percent() const { return share(agree, pixels); }
  double hard_percent() const { return share(hard_agree, hard_pixels); }

 private:
  // Returns 100 if there is nothing to compare.
  static double share(uint64_t part, uint64_t all) {
    return all == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
  }
};

// Returns true if a replay knows the depths that the draw writes. Without the draw's program it returns false if a
// discard, a depth written by the shader, an alpha test or the stencil test decides.
bool is_hard_writer(const Frame& frame, uint32_t command, bool runs_programs = false);

// `ours` and `reference` hold one value per pixel and have the same size; NaN never agrees. `is_hard(pixel)` is asked
// once per pixel.
DepthComparison compare_depth(const std::vector<float>& ours, const std::vector<float>& reference,
                              const std::function<bool(size_t)>& is_hard);

// RGBA8, rows as in the input: grey depth where both agree, red where hard pixels differ, amber where other pixels
// differ.
std::vector<uint32_t> draw_difference(const std::vector<float>& ours, const std::vector<float>& reference,
                                      const std::function<bool(size_t)>& is_hard);

}  // namespace brokkr::app
