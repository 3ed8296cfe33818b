// Compares a depth image with that of an application's own driver.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr::app {

// Depths that differ by no more than this agree (window depth; 336 steps of a 24-bit depth buffer).
inline constexpr double kDepthTolerance = 2e-5;

// A clip-space replay without programs cannot know which fragments a shader discarded. A pixel is "hard" where this
// plays no part: is_hard_writer holds for its last depth writer, or only a clear wrote it.
struct DepthComparison {
  uint64_t pixels = 0, agree = 0;
  uint64_t hard_pixels = 0, hard_agree = 0;
  double worst = 0, hard_worst = 0;  // largest difference
  double percent() const { return share(agree, pixels); }
  double hard_percent() const { return share(hard_agree, hard_pixels); }

 private:
  // Nothing to compare is no disagreement.
  static double share(uint64_t part, uint64_t all) {
    return all == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
  }
};

// Returns true if a replay knows the depths that the draw writes: without the draw's program, false where a shader's
// discard, its own fragment depth, an alpha test or the stencil decides.
bool is_hard_writer(const Frame& frame, uint32_t command, bool runs_programs = false);

// `ours` and `reference` hold one value per pixel and have the same size; NaN never agrees. `is_hard(pixel)` is asked
// once per pixel.
DepthComparison compare_depth(const std::vector<float>& ours, const std::vector<float>& reference,
                              const std::function<bool(size_t)>& is_hard);

// RGBA8, rows as in the input: depth in grey where both agree; red where hard pixels differ, amber where others do.
std::vector<uint32_t> draw_difference(const std::vector<float>& ours, const std::vector<float>& reference,
                                      const std::function<bool(size_t)>& is_hard);

}  // namespace brokkr::app
