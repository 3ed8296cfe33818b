#include "reference/gl_schedule.h"

#include <glm/common.hpp>
#include <set>
#include <utility>

namespace brokkr {

namespace {

// Views that share a layer must be drawn draw by draw; others can be drawn view by view.
bool layers_are_distinct(const Frame& frame, uint32_t first, uint32_t count) {
  std::set<std::pair<uint32_t, uint32_t>> seen;
  for (uint32_t i = first; i < first + count; ++i)
    if (!seen.emplace(frame.views[i].target, frame.views[i].layer).second) return false;
  return true;
}

// Returns true if `b` may join `a`'s multi-draw: they may differ only in their ranges. Colours by draw and by triangle
// count primitives from the draw's start.
bool can_merge(const DrawCommand& a, const DrawCommand& b, const Frame& frame, GlShading shading) {
  if (a.vertex_kind != VertexKind::clip_space || b.vertex_kind != VertexKind::clip_space) return false;
  const bool own_material = shading == GlShading::material;
  if (shading == GlShading::draw || shading == GlShading::triangle) return false;
  if (own_material &&
      (a.material != b.material || frame.materials.empty() || frame.materials[a.material].kind == MaterialKind::none))
    return false;
  constexpr uint32_t kConventions = kDepthClamp | kZeroToOne | kOriginUpperLeft | kProvokingFirst;
  return (a.state == b.state || frame.states[a.state] == frame.states[b.state]) && a.topology == b.topology &&
         a.indexed == b.indexed && a.restart == b.restart && (a.flags & kConventions) == (b.flags & kConventions);
}

void append_ranges(GlBatch& batch, const DrawCommand& draw) {
  const uint32_t items = draw.vertex_kind == VertexKind::clip_space ? draw.instances : 1;
  for (uint32_t i = 0; i < items; ++i) {
    batch.counts.push_back(int32_t(draw.element_count));
    batch.first_vertices.push_back(int32_t(draw.first_vertex + uint64_t(i) * draw.vertex_count));
    if (!draw.indexed) continue;
    // OpenGL passes offsets into the bound index buffer as pointers.
    const uintptr_t offset = uintptr_t(draw.first_index * sizeof(uint32_t));
    batch.index_offsets.push_back(reinterpret_cast<const void*>(offset));  // NOLINT(performance-no-int-to-ptr)
  }
}

GlBatch make_batch(const DrawCommand& draw, uint32_t command) {
  GlBatch batch;
  batch.command = command;
  if (draw.vertex_kind == VertexKind::transform) {
    batch.instances = draw.instances;
    batch.first_instance = draw.first_instance;
  }
  append_ranges(batch, draw);
  return batch;
}

}  // namespace

std::vector<GlStep> schedule_steps(const Frame& frame, const GlOptions& options) {
  std::vector<GlStep> steps;
  const size_t limit = options.command_limit.value_or(uint32_t(frame.commands.size()));
  const DrawCommand* last = nullptr;  // in the open pass; draws cannot join another pass
  for (uint32_t c = 0; c < limit && c < frame.commands.size(); ++c) {
    const DrawCommand* draw = std::get_if<DrawCommand>(&frame.commands[c]);
    if (draw == nullptr) {
      if (const ClearCommand* clear = std::get_if<ClearCommand>(&frame.commands[c])) steps.emplace_back(*clear);
      if (const BlitCommand* blit = std::get_if<BlitCommand>(&frame.commands[c])) steps.emplace_back(*blit);
      last = nullptr;
      continue;
    }
    if (draw->instances == 0 || draw->element_count == 0 || draw->view_count == 0) continue;
    const bool joins = last != nullptr && last->first_view == draw->first_view && last->view_count == draw->view_count;
    if (!joins) steps.emplace_back(GlPass{draw->first_view, draw->view_count, {}});
    GlPass& pass = std::get<GlPass>(steps.back());
    if (joins && can_merge(*last, *draw, frame, options.shading))
      append_ranges(pass.batches.back(), *draw);
    else
      pass.batches.push_back(make_batch(*draw, c));
    last = layers_are_distinct(frame, draw->first_view, draw->view_count) ? draw : nullptr;
  }
  return steps;
}

// Hues a golden ratio apart.
glm::vec3 draw_color(uint32_t command) {
  const float hue = glm::fract(float(command) * 0.61803399f);
  const glm::vec3 wheel = glm::abs(glm::fract(hue + glm::vec3(1.0f, 2.0f / 3, 1.0f / 3)) * 6.0f - 3.0f);
  const float value = 0.65f + 0.35f * glm::fract(float(command) * 0.38196601f);
  return value * glm::mix(glm::vec3(1.0f), glm::clamp(wheel - 1.0f, 0.0f, 1.0f), 0.6f);
}

}  // namespace brokkr
