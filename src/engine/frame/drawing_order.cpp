#include "brokkr/drawing_order.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <tuple>
#include <variant>

#include "brokkr/camera.h"

namespace brokkr {
namespace {

const DrawCommand* sorted_draw(const Frame& frame, size_t command) {
  const auto* draw = std::get_if<DrawCommand>(&frame.commands[command]);
  const bool is_sorted = draw != nullptr && (draw->flags & kBackToFront) != 0 &&
                         draw->vertex_kind == VertexKind::transform && draw->first_view < frame.views.size();
  return is_sorted ? draw : nullptr;
}

glm::vec3 middle_of(const Frame& frame, const DrawCommand& draw) {
  Bounds box;
  for (uint64_t i = 0; i < draw.element_count; i++) {
    const uint64_t vertex = draw.indexed ? frame.indices[size_t(draw.first_index + i)] : i;
    if (vertex >= draw.vertex_count) continue;  // a restart
    const glm::vec4& position = frame.positions[size_t(draw.first_vertex + vertex)];
    box.add(glm::vec3(position));
  }
  return box.empty() ? glm::vec3(0) : glm::vec3(frame.models[draw.first_instance] * glm::vec4(box.center(), 1));
}

// The distance of a point in front of a view, or the depth that a parallel projection gives it. Products of floats are
// exact in double, so that every compiler's sums are the same.
double distance_from(const View& view, const glm::vec3& point) {
  const glm::mat4& m = view.view_projection;
  const int row = m[0][3] != 0 || m[1][3] != 0 || m[2][3] != 0 ? 3 : 2;
  double sum = m[3][row];
  for (int i = 0; i < 3; i++) sum += double(m[i][row]) * double(point[i]);
  return std::isnan(sum) ? 0 : sum;
}

}  // namespace

std::vector<glm::vec3> draw_middles(const Frame& frame) {
  std::vector<glm::vec3> middles;
  // Each view of a scene draws the same: one middle serves all.
  std::map<std::tuple<bool, uint64_t, uint32_t, uint64_t, uint32_t, uint32_t>, glm::vec3> known;
  for (size_t command = 0; command < frame.commands.size(); command++) {
    const DrawCommand* const draw = sorted_draw(frame, command);
    if (draw == nullptr) continue;
    middles.resize(frame.commands.size(), glm::vec3(0));
    const auto [found, is_new] = known.try_emplace({draw->indexed, draw->first_index, draw->element_count,
                                                    draw->first_vertex, draw->vertex_count, draw->first_instance});
    if (is_new) found->second = middle_of(frame, *draw);
    middles[command] = found->second;
  }
  return middles;
}

std::vector<uint32_t> drawing_order(const Frame& frame, std::span<const glm::vec3> middles) {
  std::vector<uint32_t> order(frame.commands.size());
  std::iota(order.begin(), order.end(), 0u);
  if (middles.empty()) return order;
  std::vector<double> distances(order.size());
  for (size_t begin = 0; begin < order.size();) {
    const DrawCommand* const first = sorted_draw(frame, begin);
    size_t end = begin;
    for (const DrawCommand* draw = first; draw != nullptr && draw->first_view == first->first_view;
         draw = ++end < order.size() ? sorted_draw(frame, end) : nullptr)
      distances[end] = distance_from(frame.views[draw->first_view], middles[end]);
    std::stable_sort(order.begin() + std::ptrdiff_t(begin), order.begin() + std::ptrdiff_t(end),
                     [&](uint32_t a, uint32_t b) { return distances[a] > distances[b]; });
    begin = std::max(begin + 1, end);
  }
  return order;
}

std::vector<uint32_t> drawing_order(const Frame& frame) { return drawing_order(frame, draw_middles(frame)); }

}  // namespace brokkr
