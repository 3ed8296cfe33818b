// Runs draws again for their clip-space positions: transform feedback of gl_Position under rasterizer discard. All
// state that a run touches is restored by its end.
#pragma once

#include <functional>
#include <glm/vec4.hpp>
#include <string>
#include <vector>

#include "capture/program.h"

namespace brokkr::capture {

// The result of one run. `problem` is empty where it worked.
struct FeedbackResult {
  std::vector<glm::vec4> positions;
  std::string problem;
};

class Feedback {
 public:
  Feedback(Context& context, const VertexStage& stage) : context_(context), stage_(stage) {}

  // `draw` draws `vertices` points (as GL_POINTS).
  FeedbackResult run_points(uint64_t vertices, const std::function<void()>& draw);

  // `draw` draws an unknown number of `primitive` (GL_POINTS, GL_LINES or GL_TRIANGLES) in modes of its own.
  FeedbackResult run_primitives(GLenum primitive, const std::function<void()>& draw);

  // Vertex numbers for `draw`, bound as the element array while it runs: offsets are bytes from 0.
  void set_indices(const std::vector<uint32_t>& indices) { indices_ = &indices; }

 private:
  struct Counts {
    uint64_t written = 0, generated = 0;
  };
  FeedbackResult run(GLenum primitive, uint64_t bytes, const std::function<void()>& draw, Counts& counts);

  Context& context_;
  const VertexStage& stage_;
  const std::vector<uint32_t>* indices_ = nullptr;
};

// How the driver divides quads under the current provoking-vertex convention. Compatibility contexts only.
const QuadSplit& quad_split(Context& context, bool provoking_first);

// Deletes the objects that runs have made in this context.
void delete_feedback_objects(Context& context);

}  // namespace brokkr::capture
