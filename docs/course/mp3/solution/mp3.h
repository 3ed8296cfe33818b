// MP-3, solved.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "common/triangle.h"
#include "common/walk.h"
#include "mp2.h"

namespace course {

inline std::vector<Corners> assemble(Mode mode, const std::vector<int>& elements) {
  std::vector<Corners> triangles;
  const size_t count = elements.size();
  const auto add = [&](size_t a, size_t b, size_t c) { triangles.push_back({elements[a], elements[b], elements[c]}); };
  switch (mode) {
    case Mode::points: break;
    case Mode::triangles:
      for (size_t i = 0; i + 2 < count; i += 3) add(i, i + 1, i + 2);
      break;
    case Mode::triangle_strip:
      for (size_t i = 0; i + 2 < count; ++i) i % 2 ? add(i + 1, i, i + 2) : add(i, i + 1, i + 2);
      break;
    case Mode::triangle_fan:
    case Mode::polygon:
      for (size_t i = 1; i + 1 < count; ++i) add(0, i, i + 1);
      break;
    case Mode::quads:
      for (size_t i = 0; i + 3 < count; i += 4) {
        add(i, i + 1, i + 2);
        add(i, i + 2, i + 3);
      }
      break;
    case Mode::quad_strip:  // elements go zig-zag: the third of a quad is beside the second
      for (size_t i = 0; i + 3 < count; i += 2) {
        add(i, i + 1, i + 3);
        add(i, i + 3, i + 2);
      }
      break;
  }
  return triangles;
}

inline bool setup(const Vec4 (&window)[3], Triangle& triangle) {
  for (size_t i = 0; i < 3; ++i) {
    if (!std::isfinite(window[i].x) || !std::isfinite(window[i].y)) return false;
    triangle.x[i] = int64_t(std::nearbyint(window[i].x * kSteps));
    triangle.y[i] = int64_t(std::nearbyint(window[i].y * kSteps));
  }
  auto& [x, y, is_turned] = triangle;
  const int64_t twice_area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
  is_turned = twice_area < 0;
  if (is_turned) {
    std::swap(x[1], x[2]);
    std::swap(y[1], y[2]);
  }
  return twice_area != 0;
}

inline bool is_inside(const Triangle& triangle, int x, int y) {
  const int64_t px = int64_t(x) * kSteps + kSteps / 2, py = int64_t(y) * kSteps + kSteps / 2;
  for (size_t a = 0; a < 3; ++a) {
    const size_t b = (a + 1) % 3;
    const int64_t dx = triangle.x[b] - triangle.x[a], dy = triangle.y[b] - triangle.y[a];
    const int64_t side = dx * (py - triangle.y[a]) - dy * (px - triangle.x[a]);
    const bool is_left_or_bottom = dy < 0 || (dy == 0 && dx > 0);
    if (side < 0 || (side == 0 && !is_left_or_bottom)) return false;
  }
  return true;
}

// Each row begins where the last row ended, beside its pixels, and first goes back over them.
template <typename Unit>
void zig_zag(const Triangle& triangle, const Box& box, Unit& unit) {
  const size_t highest = size_t(std::max_element(triangle.y.begin(), triangle.y.end()) - triangle.y.begin());
  Walk walk(int(std::clamp<int64_t>(triangle.x[highest] / kSteps, box.left, box.right)), box.top);
  unit.start(walk.x(), walk.y());
  const auto go = [&](Command command) {
    walk.move(command);
    unit.move(command);
  };
  const auto is_here = [&] {
    return walk.x() >= box.left && walk.x() <= box.right && is_inside(triangle, walk.x(), walk.y());
  };
  bool to_left = true;
  for (;;) {
    const bool is_found_at_once = is_here();
    const int first = walk.x();
    bool is_found = false;
    for (int turn = 0; turn < 2; ++turn) {
      if (turn == 1) {
        if (is_found && !is_found_at_once) break;                     // the row's pixels all lie on the first side
        if (to_left ? first >= box.right : first <= box.left) break;  // nothing lies on the second
        to_left = !to_left;
        go(to_left ? Command::pop_move_left : Command::pop_move_right);
      }
      while (to_left ? walk.x() >= box.left : walk.x() <= box.right) {
        const bool is_covered = is_here();
        if (is_covered) unit.fragment(walk.x(), walk.y());
        if (is_found && !is_covered) break;
        is_found = is_covered;
        go(to_left ? Command::move_left : Command::move_right);
      }
    }
    if (walk.y() == box.bottom) return;
    go(Command::push_move_down);
    to_left = !to_left;
  }
}

}  // namespace course
