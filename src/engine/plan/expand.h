// Turns draws that the kernel's assembly does not know into triangle lists: restarted strips and fans, lines, points,
// and triangles drawn as lines or points.
#pragma once

#include <optional>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr {

class Loading;

// Returns true if the kernel cannot assemble the draw as it is.
bool needs_expansion(const DrawCommand& draw, const State& state);

// An interpolated vertex at a + t (b - a), where a and b are vertices of the draw, counted over all its instances. Flat
// values come from vertex `flat`; a triangle drawn as lines or points is flat as a whole. `primitive`: the primitive's
// number within the instance.
struct VertexSource {
  uint32_t a, b;
  float t;
  uint32_t flat, primitive;
};

// A draw after expansion: an indexed triangle list with vertices of its own.
struct ExpandedDraw {
  std::vector<uint32_t> indices;
  std::vector<glm::vec4> positions;   // empty: the draw's own vertices are used
  std::vector<VertexSource> sources;  // one per position
  // Smooth lines only, one per position: distance in pixels from the line's middle across it and half its width, then
  // the same along the line (shader/simplify.h).
  std::vector<glm::vec4> smooth;
  bool are_points = false;  // sprites of four corners each, starting at gl_PointCoord (0, 0)
  uint32_t instances = 1;   // lines and points: all instances are merged into one draw
};

// Expands `draw`. Triangles that become triangles keep their winding; the winding of lines and points is undefined.
//
// A line is a parallelogram of State::line_width pixels across its minor axis, like OpenGL's non-antialiased lines. A
// point is a square of gl_PointSize pixels, or of State::point_size without it. Throws std::runtime_error for lines and
// points of object-space draws.
// `loading` is told about the elements and may refuse memory before any is allocated.
ExpandedDraw expand(const Frame& frame, const DrawCommand& draw, const State& state, size_t command, Loading& loading);

}  // namespace brokkr
