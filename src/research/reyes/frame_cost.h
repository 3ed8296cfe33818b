// Predicts the cost of a frame without its splits from earlier frames. Work after the splits is a linear function of
// the triangles, by least squares with decaying weights, plus a margin for how far frames recently exceeded it. Dicing
// and shading have a rate, which is never below that of recent frames.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "reyes/reyes_plan.h"

namespace brokkr {

class FrameCost {
 public:
  // Returns true if frames of this size are known. Otherwise forgets frames of other sizes.
  bool is_known(int width, int height) {
    const bool known = width == width_ && height == height_;
    if (!known) *this = FrameCost{};
    width_ = width;
    height_ = height;
    return known;
  }
  // Call it after each frame whose grids have at most 2^dice micropolygons per side. `shade_ms`: the time of bounds,
  // dicing and shading; `after_ms`: the time after the splits.
  void learn(uint64_t triangles, uint32_t grids, uint32_t dice, double shade_ms, double after_ms) {
    if (triangles == 0 || grids == 0) return;
    const double x = double(triangles);
    weight_ = kDecay * weight_ + 1;
    x_ = kDecay * x_ + x;
    y_ = kDecay * y_ + after_ms;
    xx_ = kDecay * xx_ + x * x;
    xy_ = kDecay * xy_ + x * after_ms;
    const double mean_x = x_ / weight_, mean_y = y_ / weight_;
    const double spread = xx_ / weight_ - mean_x * mean_x, common = xy_ / weight_ - mean_x * mean_y;
    // Frames of equal size do not determine the slope.
    slope_ = spread > 1e-3 * mean_x * mean_x ? std::clamp(common / spread, 0.0, mean_y / mean_x) : mean_y / mean_x;
    base_ = std::max(0.0, mean_y - slope_ * mean_x);
    above_ = raised(above_, 0.97, after_ms / (base_ + slope_ * x));
    shade_ = raised(shade_, 0.95, shade_ms / (x + kGridWork * double(grids)));
    learn_grids(dice, x / double(grids));
  }
  // Call it with the time of one split, if there were any.
  void learn_split(double ms) { split_ = split_ == 0 ? ms : 0.7 * split_ + 0.3 * ms; }

  // These include a margin for frames that take longer than others.
  double fixed_ms() const { return margin() * base_; }
  double split_ms() const { return margin() * split_; }
  // Times per grid: work after the splits, and the dicing and shading before.
  double grid_ms(uint32_t dice) const { return margin() * slope_ * triangles_[dice]; }
  double shade_ms(uint32_t dice) const { return shade_ * (triangles_[dice] + kGridWork); }

  // The expected time of a frame with this many grids and no splits, without a margin.
  double expected_ms(uint32_t grids, uint32_t dice) const {
    return base_ + grids * (slope_ * triangles_[dice] + shade_ms(dice));
  }

 private:
  static constexpr double kDecay = 0.95;
  // The cost of a grid besides its triangles (bounds, marks, task), in triangles.
  static constexpr double kGridWork = 32;

  // Learnt values fall slowly and rise faster. A single frame that waited for the system says little about the next
  // ones; several in a row say a lot.
  static double raised(double learnt, double decay, double now) {
    return std::max(decay * learnt, learnt == 0 ? now : std::min(now, 1.25 * learnt));
  }
  static constexpr double full_grid(uint32_t dice) { return 2.0 * double(uint64_t(1) << (2 * dice)); }
  // Pieces that are small on the screen need no full grid: a finer limit never produces fewer triangles, and at most
  // four times as many per halving.
  void learn_grids(uint32_t dice, double triangles) {
    triangles_[dice] = triangles;
    for (uint32_t d = dice + 1; d <= kMaxDice; ++d) {
      triangles_[d] = std::clamp(triangles_[d], triangles_[d - 1], 4 * triangles_[d - 1]);
    }
    for (uint32_t d = dice; d-- > 0;) {
      triangles_[d] = std::clamp(triangles_[d], triangles_[d + 1] / 4, triangles_[d + 1]);
    }
  }
  // When other programs run, a frame may take several times as long as the previous ones.
  double margin() const { return std::clamp(above_, 1.05, 4.0); }

  int width_ = 0, height_ = 0;
  double weight_ = 0, x_ = 0, y_ = 0, xx_ = 0, xy_ = 0;
  double slope_ = 0, base_ = 0, above_ = 1, shade_ = 0, split_ = 0;
  // Triangles per grid, by the maximum number of halvings, in the last such frame.
  std::array<double, kMaxDice + 1> triangles_ = {full_grid(0), full_grid(1), full_grid(2), full_grid(3), full_grid(4)};
};

}  // namespace brokkr
