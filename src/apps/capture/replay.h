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

// The context's user clip planes, and the distances of a draw's vertices to them.
class ClipPlanes {
 public:
  // `enabled`: numbers of the enabled planes, in the context's state while `stage` is current.
  ClipPlanes(const Context& context, const std::vector<GLint>& enabled, const VertexStage& stage);

  // Whether the layer can compute distances: from gl_ClipDistance or gl_ClipVertex, if the program's last link records
  // what its vertex shader writes, or otherwise from positions and planes, as drivers do.
  bool known() const { return known_; }

  // Clips the replayed vertices of the draw. `state` is the draw's, `provoking_first` its convention.
  void clip(Replayed& part, const VertexStage& stage, const State& state, bool provoking_first) const;

 private:
  std::vector<float> distances(const Replayed& part, uint32_t components) const;

  bool known_ = false;
  const RecordedVarying* source_ = nullptr;  // null: positions are used
  bool are_distances_ = false;               // whether source_ holds distances; otherwise it is a vertex
  std::vector<GLint> numbers_;
  std::vector<glm::vec4> planes_;  // multiplied with a vertex or a position
};

}  // namespace brokkr::capture
