#include "app/frame_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <variant>

#include "scene/bkf_fields.h"

namespace brokkr::app {
namespace {

uint64_t distinct_vertices(const Frame& frame, const DrawCommand& draw) {
  if (!draw.indexed) return draw.element_count;
  std::vector<bool> used(draw.vertex_count);
  uint64_t count = 0;
  for (uint64_t element = 0; element < draw.element_count; ++element) {
    const uint32_t index = frame.indices[draw.first_index + element];
    if (index >= draw.vertex_count || used[index]) continue;  // a restart, or seen before
    used[index] = true;
    ++count;
  }
  return count;
}

void count_state(const State& state, std::map<std::string, uint64_t>& states) {
  if (state.depth.test) ++states["depth test"];
  if (state.depth.test && state.depth.write) ++states["depth write"];
  if (state.cull != CullMode::none) ++states["cull"];
  if (state.scissor) ++states["scissor"];
  if (state.blend) ++states["blend"];
  if (state.alpha_test) ++states["alpha test"];
  if (state.stencil) ++states["stencil"];
  if (state.polygon_offset) ++states["polygon offset"];
  if (state.polygon_mode != PolygonMode::fill) ++states["polygon mode"];
  if (!std::all_of(state.color_mask.begin(), state.color_mask.end(), [](bool on) { return on; })) {
    ++states["colour mask"];
  }
}

uint64_t triangles_of(const Frame& frame, const DrawCommand& draw) {
  const bool triangles = draw.topology == Topology::triangles || draw.topology == Topology::triangle_strip ||
                         draw.topology == Topology::triangle_fan;
  return triangles ? primitive_count(frame, draw) * draw.instances : 0;
}

void add_draw(const Frame& frame, const DrawCommand& draw, FrameSummary& summary) {
  ++summary.draws;
  summary.instances += draw.instances;
  if (draw.indexed) summary.indices += draw.element_count;
  summary.unique_vertices += distinct_vertices(frame, draw) * draw.instances;
  ++summary.topologies[topology_name(draw.topology)];
  for (size_t bit = 0; !bkf::name_at(bkf::kDrawFlags, bit).empty(); ++bit) {
    if ((draw.flags >> bit & 1) != 0) ++summary.flags[std::string(bkf::name_at(bkf::kDrawFlags, bit))];
  }
  count_state(frame.states[draw.state], summary.states);
  std::set<uint32_t> targets;
  for (uint32_t view = draw.first_view; view < draw.first_view + draw.view_count; ++view) {
    const uint32_t target = frame.views[view].target;
    summary.targets[target].triangles += triangles_of(frame, draw);
    if (targets.insert(target).second) ++summary.targets[target].draws;
  }
}

void add_bounds(const Frame& frame, FrameSummary& summary) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  glm::vec3 lower(kInfinity), upper(-kInfinity);
  for (const glm::vec4& position : frame.positions) {
    if (!std::isfinite(position.x) || !std::isfinite(position.y) || !std::isfinite(position.z) ||
        !std::isfinite(position.w)) {
      ++summary.not_finite;
    } else if (position.w <= 0) {
      ++summary.behind_eye;
    } else {
      const glm::vec3 point = glm::vec3(position) / position.w;
      for (int axis = 0; axis < 3; ++axis) {
        lower[axis] = std::min(lower[axis], point[axis]);
        upper[axis] = std::max(upper[axis], point[axis]);
      }
    }
  }
  if (lower.x <= upper.x) {
    summary.lower = lower;
    summary.upper = upper;
  }
}

}  // namespace

FrameSummary summarize(const Frame& frame) {
  FrameSummary summary;
  summary.commands = frame.commands.size();
  summary.triangles = triangle_count(frame);
  for (const Target& target : frame.targets) summary.targets.push_back({.target = target});
  if (!summary.targets.empty()) summary.targets[main_target(frame)].is_main = true;
  for (const Command& command : frame.commands) {
    if (const auto* draw = std::get_if<DrawCommand>(&command)) {
      add_draw(frame, *draw, summary);
    } else if (std::holds_alternative<ClearCommand>(command)) {
      ++summary.clears;
    } else {
      ++summary.blits;
    }
  }
  add_bounds(frame, summary);
  return summary;
}

std::string topology_name(Topology topology) { return std::string(bkf::name_of(topology)); }

std::string format_name(ColorFormat format) { return std::string(bkf::name_of(format)); }

}  // namespace brokkr::app
