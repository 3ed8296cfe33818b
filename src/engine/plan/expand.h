// Turns draws that the kernel's assembly does not know into triangle lists: restarted strips and fans, lines, points,
// and triangles drawn as lines or points.
#pragma once

#include <optional>
#include <vector>

#include "base/loading.h"
#include "brokkr/frame.h"

namespace brokkr {

// Whether the kernel needs the draw in another form.
bool needs_expansion(const DrawCommand& draw, const State& state);

// Between two vertices of the draw, counted over all its instances: at a + t (b - a). What is flat comes from vertex
// `flat`: a triangle that is drawn as lines or points is flat as a whole. `primitive`: its number in the instance.
struct VertexSource {
  uint32_t a, b;
  float t;
  uint32_t flat, primitive;
};

// A draw in its other form: an indexed triangle list with vertices of its own.
struct ExpandedDraw {
  std::vector<uint32_t> indices;
  std::vector<glm::vec4> positions;   // empty: the draw's own vertices stay in use
  std::vector<VertexSource> sources;  // of each position
  // Of each position, where lines are smooth: pixels from the line's middle across and half its width, and the same
  // along it (shader/smooth_lines.h).
  std::vector<glm::vec4> smooth;
  bool are_points = false;  // four corners each, from gl_PointCoord's (0, 0) on around the point
  uint32_t instances = 1;   // lines and points: instances are drawn one after another, as one
};

// What triangles become faces as they do: the winding of its triangles is theirs. That of lines and points is any.
//
// Lines are parallelograms, of State::line_width pixels across their shorter axis, as OpenGL's non-antialiased lines;
// points are squares of their gl_PointSize, or else of State::point_size. Throws std::runtime_error for lines and
// points of object-space draws.
// `loading` hears of the elements, and has the last word on memory before any is taken.
ExpandedDraw expand(const Frame& frame, const DrawCommand& draw, const State& state, size_t command, Loading& loading);

}  // namespace brokkr
