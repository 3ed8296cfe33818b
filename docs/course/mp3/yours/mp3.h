// MP-3: primitive assembly and zig-zag rasterization. Your part: fill in what stands under YOUR TURN.
#pragma once

#include <vector>

#include "common/triangle.h"
#include "common/walk.h"
#include "mp2.h"

namespace course {

// The triangles of a draw, corners in an order that keeps the winding. Elements that are left over make none.
//   triangles, quads   3 or 4 elements each        triangle_strip, quad_strip   share 2 with the one before
//   triangle_fan, polygon   share the first and the last one
inline std::vector<Corners> assemble(Mode mode, const std::vector<int>& elements) {
  std::vector<Corners> triangles;
  // YOUR TURN 1
  (void)mode;
  (void)elements;
  return triangles;
}

// The triangle on the grid of kSteps per pixel: nearest steps, counter-clockwise. False: its area is 0.
inline bool setup(const Vec4 (&window)[3], Triangle& triangle) {
  // YOUR TURN 2
  (void)window;
  (void)triangle;
  return false;
}

// Whether the centre of a pixel is inside: left of all three edges, in whole numbers. A centre on an edge is inside
// where that is a left or a bottom edge.
inline bool is_inside(const Triangle& triangle, int x, int y) {
  // YOUR TURN 3
  (void)triangle;
  (void)x;
  (void)y;
  return false;
}

// Walks over the triangle, row by row from the top of `box`, and calls unit.fragment(x, y) once for each pixel of the
// box that is inside. unit.start(x, y) comes first, with the pixel that the walk begins at: the nearer to the highest
// corner, the fewer steps. The walk never strays further than one pixel from the box.
template <typename Unit>
void zig_zag(const Triangle& triangle, const Box& box, Unit& unit) {
  Walk walk(box.left, box.top);
  unit.start(walk.x(), walk.y());
  const auto go = [&](Command command) {  // the walk and the unit move alike
    walk.move(command);
    unit.move(command);
  };
  // YOUR TURN 4
  (void)triangle;
  (void)go;
}

}  // namespace course
