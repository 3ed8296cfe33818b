// What a frame takes besides its splits, learnt from the frames so far: a fixed part, and a part for each grid.
#pragma once

#include <algorithm>
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
  // After each frame: `after_ms` from the end of its splits to its picture.
  void learn(uint32_t grids, double split_ms, double after_ms) {
    if (grids == 0) return;
    shade_ms_ = std::max(0.9 * shade_ms_, split_ms / grids);
    if (frames_ == 0 || grids < few_.grids) few_ = {grids, after_ms};
    if (frames_ == 0 || grids > many_.grids) many_ = {grids, after_ms};
    ++frames_;
    if (many_.grids > few_.grids) {
      slope_ = std::max(0.0, (many_.ms - few_.ms) / (many_.grids - few_.grids));
      base_ = std::max(0.0, few_.ms - slope_ * few_.grids);
    } else {
      base_ = after_ms;
    }
    // What is above the line counts at once, what is below it slowly.
    const double line = base_ + slope_ * grids;
    if (line > 0) above_ = std::max(0.97 * above_, after_ms / line);
  }
  // With a margin, for what other programs do meanwhile.
  double fixed_ms() const { return kMargin * above() * base_; }
  double grid_ms() const { return kMargin * above() * slope_; }
  double shade_ms() const { return kMargin * shade_ms_; }

 private:
  static constexpr double kMargin = 1.1, kMostAbove = 1.6;
  struct Known {
    uint32_t grids = 0;
    double ms = 0;
  };
  Known few_, many_;
  int width_ = 0, height_ = 0;
  uint64_t frames_ = 0;
  double base_ = 0, slope_ = 0, above_ = 1, shade_ms_ = 0;

  double above() const { return std::clamp(above_, 0.8, kMostAbove); }
};

}  // namespace brokkr
