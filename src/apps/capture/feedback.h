// Runs draws again for their clip-space positions and varyings: transform feedback under rasterizer discard. All state
// that a run touches is restored by its end.
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
  std::vector<float> varyings;  // of each vertex, as many as VertexStage::recorded has
  uint64_t needed = 0;          // vertices that the draw made; `positions` has those that found room
  std::string problem;
};

// `draw` draws `vertices` points (as GL_POINTS). `indices`, or null: vertex numbers for it, bound as the element array
// while it runs.
FeedbackResult run_points(Context& context, const VertexStage& stage, uint64_t vertices,
                          const std::vector<uint32_t>* indices, const std::function<void()>& draw);

// `draw` draws an unknown number of `primitive` (GL_POINTS, GL_LINES or GL_TRIANGLES) in modes of its own.
FeedbackResult run_primitives(Context& context, const VertexStage& stage, GLenum primitive,
                              const std::function<void()>& draw);

// How the driver divides quads under the current provoking-vertex convention. Compatibility contexts only.
const QuadSplit& quad_split(Context& context, bool provoking_first);

// Deletes the objects that runs have made in this context.
void delete_feedback_objects(Context& context);

}  // namespace brokkr::capture
