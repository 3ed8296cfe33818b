// MP-3: primitive assembly and zig-zag rasterization. Your part: complete the code under YOUR TURN.
#pragma once

#include <vector>

#include "common/triangle.h"
#include "common/walk.h"
#include "mp2.h"

namespace course {

// The triangles of a draw, with corners in an order that keeps the winding. Remaining elements make no triangle.
//   triangles, quads   3 or 4 elements each        triangle_strip, quad_strip   share 2 with the one before
//   triangle_fan, polygon   share the first and the last one
inline std::vector<Corners> assemble(Mode mode, const std::vector<int>& elements) {
  std::vector<Corners> triangles;
  // YOUR TURN 1
  (void)mode;
  (void)elements;
  return triangles;
}

// The triangle on the grid of kSteps per pixel: nearest steps, counter-clockwise. Returns false if its area is 0.
inline bool setup(const Vec4 (&window)[3], Triangle& triangle) {
  // YOUR TURN 2
  (void)window;
  (void)triangle;
  return false;
}

// Returns true if the centre of a pixel is inside: left of all three edges, in whole numbers. A centre on an edge is
// inside if that is a left or a bottom edge.
inline bool is_inside(const Triangle& triangle, int x, int y) {
  // YOUR TURN 3
  (void)triangle;
  (void)x;
  (void)y;
  return false;
}

// Walks over the triangle, row by row from the top of `box`, and calls unit.fragment(x, y) once for each pixel of the
// box that is inside. First calls unit.start(x, y) with the pixel where the walk begins; if it is nearer to the highest
// corner, the walk takes fewer steps. The walk never leaves the box by more than one pixel.
template <typename Unit>
void zig_zag(const Triangle& triangle, const Box& box, Unit& unit) {
  Walk walk(box.left, box.top);
  unit.start(walk.x(), walk.y());
  const auto go = [&](Command command) {  // the walk and the unit move together
    walk.move(command);
    unit.move(command);
  };
  // YOUR TURN 4
  (void)triangle;
  (void)go;
}

}  // namespace course
