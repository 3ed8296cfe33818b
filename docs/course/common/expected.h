// What should come out, by tests/engine/oracle: the same functions that Brokkr's own pipeline is held against.
#pragma once

#include <utility>
#include <vector>

#include "common/fixed.h"
#include "common/picture.h"
#include "common/recording.h"

namespace course {

Vec4 oracle_product(const Mat4& matrix, const Vec4& vector);

// x, y in pixels, depth 0 to 1, and 1 / w.
Vec4 oracle_window(const Vec4& clip, const Viewport& viewport);

// The triangles of lists, strips and fans.
std::vector<Corners> oracle_assemble(Mode mode, const std::vector<int>& elements);

// Pixels that a triangle covers, rows from the bottom.
std::vector<std::pair<int, int>> oracle_cover(const Vec4 (&clip)[3], const Viewport& viewport);

// The depth function as the oracle knows it.
bool oracle_passes(DepthFunction function, float value, float stored);

struct Expected {
  Picture picture;
  std::vector<bool> uncertain;  // pixels that depend on rounding: a texel's border, two depths that nearly agree
};

enum class Shading : uint8_t { flat, smooth, textured };  // flat: the colour of a triangle's last vertex

// The recording's triangles, drawn by the oracle: coverage by exact integers, attributes by planes through the corners,
// divided by that of 1 / w; nearest texels.
Expected oracle_picture(const Recording& recording, Shading shading);

}  // namespace course
