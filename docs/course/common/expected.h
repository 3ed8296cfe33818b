// Computes the expected results with tests/engine/oracle, the same functions that test Brokkr's own pipeline.
#pragma once

#include <utility>
#include <vector>

#include "common/fixed.h"
#include "common/picture.h"
#include "common/recording.h"

namespace course {

Vec4 oracle_product(const Mat4& matrix, const Vec4& vector);

// Returns x, y in pixels, depth 0 to 1, and 1 / w.
Vec4 oracle_window(const Vec4& clip, const Viewport& viewport);

// Returns the triangles of lists, strips and fans.
std::vector<Corners> oracle_assemble(Mode mode, const std::vector<int>& elements);

// Returns the pixels that a triangle covers, rows from the bottom.
std::vector<std::pair<int, int>> oracle_cover(const Vec4 (&clip)[3], const Viewport& viewport);

// The oracle's depth function.
bool oracle_passes(DepthFunction function, float value, float stored);

struct Expected {
  Picture picture;
  std::vector<bool> uncertain;  // pixels that depend on rounding: a texel's border, two depths that nearly agree
};

enum class Shading : uint8_t { flat, smooth, textured };  // flat: the colour of a triangle's last vertex

// Draws the recording's triangles with the oracle: coverage by exact integers, nearest texels, and attributes by planes
// through the corners, divided by the plane of 1 / w.
Expected oracle_picture(const Recording& recording, Shading shading);

}  // namespace course
