// Runs a draw of the application again to get the positions and varyings that the file stores.
#pragma once

#include <functional>
#include <glm/vec4.hpp>
#include <optional>
#include <string>
#include <vector>

#include "capture/primitives.h"
#include "capture/program.h"

namespace brokkr::capture {

// One draw of a call; multi-draws have several. For a draw with indices, `first` is unused.
struct SubDraw {
  uint32_t first = 0, count = 0;
  uint32_t instances = 1, base_instance = 0;
  int32_t base_vertex = 0;
  const void* indices = nullptr;  // pointer, or offset in the element array buffer
};

// A draw as the application submitted it, by whichever function.
struct DrawCall {
  GLenum mode = GL_TRIANGLES;
  GLenum index_type = GL_NONE;  // GL_NONE: no indices
  bool instanced = false;       // the function takes a number of instances
  std::vector<SubDraw> parts;
  // Repeats the call in its own modes.
  std::function<void()> submit;
  // Only GL knows the vertices (display lists, evaluators). `mode` is then GL_POINTS, GL_LINES or GL_TRIANGLES, and
  // `parts` is empty.
  bool opaque = false;
  // Immediate mode: opaque, but the same vertices can be submitted in another mode.
  std::function<void(GLenum)> submit_as;
  // The call changes matrices and attributes, which must be restored (display lists).
  bool changes_state = false;

  bool indexed() const { return index_type != GL_NONE; }
  uint64_t triangles() const;  // as far as they are known
};

// A part of a call, or all of it.
struct Replayed {
  std::string part;        // ".2" in a call with several parts
  std::string problem;     // why the part is not recorded; empty if it is
  uint64_t triangles = 0;  // of a part that is not recorded
  std::optional<Assembly> assembly;
  std::vector<glm::vec4> positions;  // `vertices` per instance
  std::vector<float> varyings;       // per position, as many as VertexStage::recorded has components
  uint32_t vertices = 0, instances = 1;
};

// `flags`: the draw's DrawFlag bits. Parts without vertices, and those that are errors in GL, are omitted.
std::vector<Replayed> replay(Context& context, const DrawCall& call, const VertexStage& stage, uint32_t flags);

}  // namespace brokkr::capture
