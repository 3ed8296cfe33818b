// A draw as the application submitted it, whatever function it used.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "capture/lookup.h"

namespace brokkr::capture {

// One draw of a call; multi-draws have several. Of a draw with indices `first` is unused.
struct SubDraw {
  uint32_t first = 0, count = 0;
  uint32_t instances = 1, base_instance = 0;
  int32_t base_vertex = 0;
  const void* indices = nullptr;  // pointer, or offset in the element array buffer
};

struct DrawCall {
  GLenum mode = GL_TRIANGLES;
  GLenum index_type = GL_NONE;  // GL_NONE: without indices
  bool instanced = false;       // submitted by a function that takes a number of instances
  std::vector<SubDraw> parts;
  // The same call again, in its own modes.
  std::function<void()> submit;
  // Only GL knows the vertices (display lists, evaluators): `mode` is then GL_POINTS, GL_LINES or GL_TRIANGLES, and
  // `parts` is empty.
  bool opaque = false;
  // Immediate mode: opaque, but the same vertices can be sent in another mode than `mode`.
  std::function<void(GLenum)> submit_as;
  // The call changes matrices and attributes, which must be restored (display lists).
  bool changes_state = false;
};

}  // namespace brokkr::capture
