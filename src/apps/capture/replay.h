// Runs a draw of the application again to get the positions and varyings for the file.
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

// A draw as the application submitted it, through any function.
struct DrawCall {
  GLenum mode = GL_TRIANGLES;
  GLenum index_type = GL_NONE;  // GL_NONE: no indices
  bool instanced = false;       // the function has a parameter for the number of instances
  std::vector<SubDraw> parts;
  // Repeats the call in its own mode.
  std::function<void()> submit;
  // Only GL knows the vertices (display lists, evaluators). Then `mode` is GL_POINTS, GL_LINES or GL_TRIANGLES, and
  // `parts` is empty.
  bool opaque = false;
  // if opaque: GL_QUADS (and strips of them) or GL_POLYGON, of which all its triangles are parts
  GLenum faces = GL_NONE;
  // For immediate mode: opaque, but the same vertices can be submitted in another mode.
  std::function<void(GLenum)> submit_as;
  // The call may change matrices and attributes (display lists), which must be restored.
  bool changes_state = false;

  bool indexed() const { return index_type != GL_NONE; }
  uint64_t triangles() const;  // as far as known
};

// A part of a call, or the whole call.
struct Replayed {
  std::string part;        // ".2" in a call with several parts
  std::string problem;     // why the part is not recorded; empty if it is
  uint64_t triangles = 0;  // number of triangles, if the part is not recorded
  std::optional<Assembly> assembly;
  std::vector<uint32_t> outlines;    // if the assembly has outlines: the number of lines of each face
  std::vector<glm::vec4> positions;  // `vertices` per instance
  std::vector<float> varyings;       // per position, as many as VertexStage::recorded has components
  uint32_t vertices = 0, instances = 1;
  // If the stage has a vertex program: the values of its attributes per position, as many as its copy has components,
  // or the reason why there are none. gl_BaseVertex, gl_BaseInstance and gl_DrawID are those of the draw.
  std::vector<float> attributes;
  std::string attribute_problem;
  int32_t base_vertex = 0, base_instance = 0, draw = 0;
};

// `flags`: the draw's DrawFlag bits. Omits parts without vertices and parts that are errors in GL.
std::vector<Replayed> replay(Context& context, const DrawCall& call, const VertexStage& stage, uint32_t flags);

// Cuts the replayed lines of a draw into dashes. `state`: the draw's; `provoking_first`: its convention.
void cut_into_dashes(Replayed& part, const VertexStage& stage, const State& state, bool provoking_first,
                     const LineStipple& stipple);

// Removes the replayed primitives that gl_CullDistance culls. Returns false if feedback does not record it.
bool cull_by_distance(Replayed& part, const VertexStage& stage, const State& state, bool provoking_first);

// A part of a draw, and the layer and the viewport that it goes to.
struct RoutedPart {
  Route route;
  Replayed part;
};
// Divides a part by gl_Layer and gl_ViewportIndex. One that feedback does not record counts as 0.
std::vector<RoutedPart> route_part(Replayed part, const VertexStage& stage, const State& state, bool provoking_first);

// Returns true if feedback records this output of the last stage before rasterization.
bool records(const VertexStage& stage, const char* name);

// The context's user clip planes, and the distances of vertices to them.
class ClipPlanes {
 public:
  // `enabled`: numbers of the planes enabled in the context's state while `stage` is current.
  ClipPlanes(const Context& context, const std::vector<GLint>& enabled, const VertexStage& stage);

  // Returns true if the layer can compute distances: from gl_ClipDistance or gl_ClipVertex, if the program's last link
  // recorded what its vertex shader writes, or otherwise from positions and planes, as drivers do.
  bool known() const { return known_; }

  // Clips the replayed vertices of a draw. `state`: the draw's; `provoking_first`: its convention.
  void clip(Replayed& part, const VertexStage& stage, const State& state, bool provoking_first) const;

 private:
  std::vector<float> distances(const Replayed& part, uint32_t components) const;

  bool known_ = false;
  const RecordedVarying* source_ = nullptr;  // null: use positions
  bool are_distances_ = false;               // true: source_ holds distances; false: it holds a vertex
  std::vector<GLint> numbers_;
  std::vector<glm::vec4> planes_;  // to be multiplied with a vertex or a position
};

}  // namespace brokkr::capture
