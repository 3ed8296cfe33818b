// Orders a frame's commands so that OpenGL draws them fast: consecutive draws that differ only in their index range
// become one multi-draw, and draws of many views run view by view, so that each view's target is bound once.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "brokkr/frame.h"
#include "reference/gl_renderer.h"

namespace brokkr {

// Draws that differ only in their ranges. The arrays are parallel, as glMultiDraw* takes them.
struct GlBatch {
  uint32_t command = 0;  // index of the first draw in Frame::commands
  std::vector<int32_t> counts;
  std::vector<const void*> index_offsets;  // byte offsets into the index buffer, for indexed draws
  std::vector<int32_t> first_vertices;     // base vertex of indexed draws, first vertex of others
  uint32_t instances = 1;                  // for VertexKind::transform draws (clip-space instances are items)
  uint32_t first_instance = 0;
};

// Batches with the same range of views.
struct GlPass {
  uint32_t first_view = 0, view_count = 1;
  std::vector<GlBatch> batches;
};

using GlStep = std::variant<GlPass, ClearCommand, BlitCommand>;

// The steps of a validated frame. They give the same image as the commands one by one.
std::vector<GlStep> schedule_steps(const Frame& frame, const GlOptions& options);

// A command's colour in GlShading::draw: neighbours in the command list get distinct hues.
glm::vec3 draw_color(uint32_t command);

}  // namespace brokkr
