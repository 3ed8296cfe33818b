// A frame's commands in a form that OpenGL draws fast: runs of draws that share everything but their index range become
// one multi-draw, and draws of many views run view by view so that each view's target is bound once.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "brokkr/frame.h"
#include "reference/gl_renderer.h"

namespace brokkr {

// Draws that differ only in their ranges. The arrays are parallel, in the form of glMultiDraw*.
struct GlBatch {
  uint32_t command = 0;  // the first draw's index into Frame::commands
  std::vector<int32_t> counts;
  std::vector<const void*> index_offsets;  // bytes into the index buffer; indexed draws
  std::vector<int32_t> first_vertices;     // base vertex of indexed draws, first vertex of others
  uint32_t instances = 1;                  // of VertexKind::transform draws (clip-space instances are items)
  uint32_t first_instance = 0;
};

// Batches that share a range of views.
struct GlPass {
  uint32_t first_view = 0, view_count = 1;
  std::vector<GlBatch> batches;
};

using GlStep = std::variant<GlPass, ClearCommand, BlitCommand>;

// The steps of a validated frame. The image is that of running the commands one by one.
std::vector<GlStep> schedule_steps(const Frame& frame, const GlOptions& options);

// The colour that GlShading::draw gives a command: neighbours in the command list get distinct hues.
glm::vec3 draw_color(uint32_t command);

}  // namespace brokkr
