// The context's user clip planes, and the distances of a draw's vertices to them.
#pragma once

#include <glm/vec4.hpp>
#include <optional>
#include <vector>

#include "capture/replay.h"

namespace brokkr::capture {

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
