// What a frame takes besides its splits, learnt from the frames so far: a line over its triangles, by least squares in
// which older frames count less, and how far frames were above that lately.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace brokkr {

class FrameCost {
 public:
  // Whether frames of this size are known; if not, it forgets the others.
  bool is_known(int width, int height) {
    const bool known = width == width_ && height == height_;
    if (!known) *this = FrameCost{};
    width_ = width;
    height_ = height;
    return known;
  }
  // After each frame, whose grids had 2^dice micropolygons along a side at most: what its splits with dicing and
  // shading took, and what came after.
  void learn(uint64_t triangles, uint32_t grids, uint32_t dice, double split_ms, double after_ms) {
    if (triangles == 0) return;
    const double x = double(triangles);
    weight_ = kDecay * weight_ + 1;
    x_ = kDecay * x_ + x;
    y_ = kDecay * y_ + after_ms;
    xx_ = kDecay * xx_ + x * x;
    xy_ = kDecay * xy_ + x * after_ms;
    const double mean_x = x_ / weight_, mean_y = y_ / weight_;
    const double spread = xx_ / weight_ - mean_x * mean_x, common = xy_ / weight_ - mean_x * mean_y;
    // Frames of one size say nothing of the slope.
    slope_ = spread > 1e-3 * mean_x * mean_x ? std::clamp(common / spread, 0.0, mean_y / mean_x) : mean_y / mean_x;
    base_ = std::max(0.0, mean_y - slope_ * mean_x);
    above_ = std::max(0.97 * above_, after_ms / (base_ + slope_ * x));
    shade_ = std::max(0.95 * shade_, split_ms / x);
    triangles_ = grids == 0 ? full_grid(dice) : x / double(grids);
    dice_ = dice;
  }
  // What one split took, where there were any.
  void learn_split(double ms) { split_ = split_ == 0 ? ms : 0.7 * split_ + 0.3 * ms; }

  double fixed_ms() const { return margin() * base_; }
  double split_ms() const { return margin() * split_; }
  // Of each grid.
  double grid_ms(uint32_t dice) const { return margin() * slope_ * triangles_of(dice); }
  double shade_ms(uint32_t dice) const { return margin() * shade_ * triangles_of(dice); }

 private:
  static constexpr double kDecay = 0.95;

  static double full_grid(uint32_t dice) { return 2.0 * double(uint64_t(1) << (2 * dice)); }
  // Pieces that are small on the screen need no full grid: finer limits make more triangles at most, coarser ones
  // leave those that are small as they are.
  double triangles_of(uint32_t dice) const {
    const double part = triangles_ / full_grid(dice_);  // above 1 where many sides are stitched
    return dice < dice_ ? std::min(triangles_, full_grid(dice) * std::max(1.0, part)) : part * full_grid(dice);
  }
  // Beside other programs a frame may take several times what the last ones took.
  double margin() const { return std::clamp(above_, 1.05, 4.0); }

  int width_ = 0, height_ = 0;
  double weight_ = 0, x_ = 0, y_ = 0, xx_ = 0, xy_ = 0;
  double slope_ = 0, base_ = 0, above_ = 1, shade_ = 0, split_ = 0;
  double triangles_ = 1;  // of a grid, the last time
  uint32_t dice_ = 0;     // and its most halvings then
};

}  // namespace brokkr
