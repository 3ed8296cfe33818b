// The user clip planes of the context, and how far vertices of a draw lie before them.
#pragma once

#include <glm/vec4.hpp>
#include <optional>
#include <vector>

#include "capture/replay.h"

namespace brokkr::capture {

class ClipPlanes {
 public:
  // `enabled`: numbers of the planes that are, as the context has them while `stage` is current.
  ClipPlanes(const Context& context, const std::vector<GLint>& enabled, const VertexStage& stage);

  // Whether the layer can tell distances: from gl_ClipDistance or gl_ClipVertex, as far as the program's last link
  // records what its vertex shader writes, or from positions and planes, as drivers do without.
  bool known() const { return known_; }

  // Clips what was replayed of the draw. `state`: of the draw, `provoking_first`: its convention.
  void clip(Replayed& part, const VertexStage& stage, const State& state, bool provoking_first) const;

 private:
  std::vector<float> distances(const Replayed& part, uint32_t components) const;

  bool known_ = false;
  const RecordedVarying* source_ = nullptr;  // null: positions
  bool are_distances_ = false;               // of source_: distances, else a vertex
  std::vector<GLint> numbers_;
  std::vector<glm::vec4> planes_;  // what a vertex or a position is multiplied by
};

}  // namespace brokkr::capture
