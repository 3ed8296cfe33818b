// Reads buffers and pictures from GL, and restores all state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <glm/vec4.hpp>
#include <string>
#include <vector>

#include "capture/program.h"
#include "capture/state_guard.h"
#include "capture/targets.h"

namespace brokkr::capture {

// Makes pixel transfer leave values unchanged until `restore` is destroyed, in a compatibility context.
void transfer_plainly(Restore& restore);

// Sets plain packing until `restore` is destroyed: contiguous rows in client memory, values unchanged.
void pack_plainly(const Context& context, Restore& restore);

// Reads `size` bytes from `offset` of the buffer bound to `target`; fewer if the buffer ends earlier.
std::vector<std::byte> read_buffer(const Context& context, GLenum target, uint64_t offset, uint64_t size);

// Window depth, rows bottom to top; empty if the driver does not provide it.
std::vector<float> read_depth(const Context& context, const TargetInfo& target);
std::vector<uint8_t> read_stencil(const Context& context, const TargetInfo& target);

// RGBA, rows bottom to top: 8-bit integers, or 16-bit floats.
std::vector<std::byte> read_colors(const Context& context, const TargetInfo& target, Plane plane,
                                   const ReadFormat& format);

// The picture as PNG; empty if the driver does not provide it.
std::vector<uint8_t> read_picture(const Context& context, const TargetInfo& target);

// Runs draws again with transform feedback under rasterizer discard, to get their clip-space positions and varyings.
// Restores all state that a run changes.

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
// `ignores_errors`: GL's errors count only if no vertices were recorded.
FeedbackResult run_primitives(Context& context, const VertexStage& stage, GLenum primitive,
                              const std::function<void()>& draw, bool ignores_errors = false);

// The driver's way of splitting quads under the current provoking-vertex convention. Compatibility contexts only.
const QuadSplit& quad_split(Context& context, bool provoking_first);

// Deletes the objects that runs have created in this context.
void delete_feedback_objects(Context& context);

}  // namespace brokkr::capture
