// Runs draws again to get their clip-space positions and varyings, with transform feedback under rasterizer discard.
// All state that a run changes is restored at its end.
#pragma once

#include <functional>
#include <glm/vec4.hpp>
#include <string>
#include <vector>

#include "capture/program.h"

namespace brokkr::capture {

// The result of one run. `problem` is empty if it succeeded.
struct FeedbackResult {
  std::vector<glm::vec4> positions;
  std::vector<float> varyings;  // per vertex, as many as VertexStage::recorded has components
  uint64_t needed = 0;          // number of vertices that the draw produced; `positions` has those that fit
  std::string problem;
};

// `draw` must draw `vertices` points (as GL_POINTS). `indices`: null, or vertex numbers that are bound as the element
// array during the run.
FeedbackResult run_points(Context& context, const VertexStage& stage, uint64_t vertices,
                          const std::vector<uint32_t>* indices, const std::function<void()>& draw);

// `draw` draws an unknown number of `primitive` (GL_POINTS, GL_LINES or GL_TRIANGLES) in its own modes.
FeedbackResult run_primitives(Context& context, const VertexStage& stage, GLenum primitive,
                              const std::function<void()>& draw);

// How the driver splits quads under the current provoking-vertex convention. Compatibility contexts only.
const QuadSplit& quad_split(Context& context, bool provoking_first);

// Deletes the objects that runs have created in this context.
void delete_feedback_objects(Context& context);

}  // namespace brokkr::capture
