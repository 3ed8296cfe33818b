// From MP-3 on: a triangle in the window, and the box of pixels around it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/types.h"

namespace course {

// Corners on a grid of 256 steps per pixel, counter-clockwise. Edges are therefore whole numbers, and exact.
struct Triangle {
  std::array<int64_t, 3> x{}, y{};
  bool is_turned = false;  // corners 1 and 2 were exchanged: it was clockwise
};

inline constexpr int kSteps = 256;  // per pixel

// Pixels whose centres lie in the box around the corners, within the viewport.
inline Box box_of(const Triangle& triangle, const Viewport& viewport) {
  const auto [left, right] = std::minmax_element(triangle.x.begin(), triangle.x.end());
  const auto [bottom, top] = std::minmax_element(triangle.y.begin(), triangle.y.end());
  const auto first = [](int64_t grid) { return (grid + kSteps / 2 - 1) >> 8; };
  const auto last = [](int64_t grid) { return (grid - kSteps / 2) >> 8; };
  return {int(std::max<int64_t>(viewport.x, first(*left))), int(std::max<int64_t>(viewport.y, first(*bottom))),
          int(std::min<int64_t>(viewport.x + viewport.width - 1, last(*right))),
          int(std::min<int64_t>(viewport.y + viewport.height - 1, last(*top)))};
}

}  // namespace course
