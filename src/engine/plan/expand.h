// Turns draws that the kernel cannot assemble into triangle lists: restarted strips and fans, lines, points, and
// triangles drawn as lines or points.
#pragma once

#include <optional>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr {

class Loading;

// Returns true if the kernel cannot assemble the draw as it is.
bool needs_expansion(const DrawCommand& draw, const State& state);

// An interpolated vertex at a + t (b - a), where a and b are vertices of the draw, counted over all its instances. Flat
// values come from vertex `flat`; all lines or points of one triangle share them. `primitive`: the primitive's number
// within the instance.
struct VertexSource {
  uint32_t a, b;
  float t;
  uint32_t flat, primitive;
};

// A draw after expansion: an indexed triangle list that may have new vertices.
struct ExpandedDraw {
  std::vector<uint32_t> indices;
  std::vector<glm::vec4> positions;   // empty: the draw's original vertices are used
  std::vector<VertexSource> sources;  // one per position
  // Smooth lines only, one per position. The first two components are the distance in pixels from the line's middle,
  // across the line, and half the line's width. The last two are the same along the line (shader/simplify.h).
  std::vector<glm::vec4> smooth;
  bool are_points = false;  // sprites with four corners each, starting at gl_PointCoord (0, 0)
  uint32_t instances = 1;   // lines and points: all instances are merged into one draw
};

// Expands `draw`. Triangles that become triangles keep their winding; the winding of lines and points is undefined.
// Lines and points of triangles have the triangle's polygon offset in their positions; other lines and points have
// none.
//
// A line is a parallelogram of State::line_width pixels across its minor axis, like OpenGL's non-antialiased lines, or
// a rectangle of that width in targets of several samples a pixel. A point is a square of gl_PointSize pixels, or of
// State::point_size if no gl_PointSize is given. Throws std::runtime_error for lines and points of object-space draws.
// `loading` receives the number of elements, and may refuse memory before any is allocated.
ExpandedDraw expand(const Frame& frame, const DrawCommand& draw, const State& state, size_t command, Loading& loading);

}  // namespace brokkr
