#include "formats/marks.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <utility>

#include "base/failure.h"
#include "base/growth.h"
#include "formats/obj.h"
#include "formats/scene_setup.h"

namespace brokkr {

Solid octahedron() {
  return {{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
          {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
}

Solid tetrahedron() {
  const float k = 1 / std::sqrt(3.0f);
  return {{{k, k, k}, {-k, -k, k}, {-k, k, -k}, {k, -k, -k}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
}

// Four sides of width 2, and two ends that lie half a width beyond the ends of the line.
Solid bar() {
  Solid solid;
  for (const float z : {-0.5f, 0.5f}) {
    for (const auto& [x, y] : {std::pair{-1.0f, -1.0f}, {1.0f, -1.0f}, {1.0f, 1.0f}, {-1.0f, 1.0f}})
      solid.corners.emplace_back(x, y, z);
  }
  for (uint32_t i = 0; i < 4; i++) {
    const uint32_t k = (i + 1) % 4;
    solid.triangles.push_back({i, k, k + 4});
    solid.triangles.push_back({i, k + 4, i + 4});
  }
  for (const auto& end : {std::array<uint32_t, 3>{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}})
    solid.triangles.push_back(end);
  return solid;
}

glm::mat3 across(const glm::vec3& line) {
  const float length = glm::length(line);
  if (!(length > 0) || !std::isfinite(length)) return glm::mat3(1);
  const glm::vec3 along = line / length;
  const glm::vec3 other = std::abs(along.y) < 0.9f ? glm::vec3(0, 1, 0) : glm::vec3(1, 0, 0);
  const glm::vec3 x = glm::normalize(glm::cross(other, along));
  return {x, glm::cross(along, x), along};
}

float mark_radius(const Frame& frame, const Bounds& bounds, float pixels) {
  const glm::mat4& m = frame.views[0].view_projection;
  const float w = std::abs((m * glm::vec4(bounds.center(), 1)).w);
  const glm::vec3 up(m[0][1], m[1][1], m[2][1]);
  const float scale = glm::length(up) * float(frame.targets[0].height);
  const float radius = (scale > 0 ? 2 * w / scale : 0.0f) * pixels / 2;
  // Positions that differ by less than this count as one.
  const float least = 1e-6f * std::max(glm::length(bounds.low), glm::length(bounds.high));
  return std::isfinite(radius) ? std::max(radius, std::max(least, 1e-30f)) : 1.0f;
}

Frame make_point_frame(ObjMesh mesh, const LoadOptions& options, Loading& loading) {
  constexpr size_t kFine = size_t(1) << 22;  // up to this many points are octahedra; a larger cloud is seen as a whole
  Frame frame;
  Bounds bounds;
  std::vector<uint32_t> usable;
  for (size_t i = 0; i < mesh.positions.size(); i++) {
    loading.step();
    if (!std::isfinite(mesh.positions[i].x)) {
      loading.warn("point", "vertex {}: it is not finite, not a number or beyond 1e15; the point is left out", i);
      continue;
    }
    bounds.add(mesh.positions[i]);
    push_in_steps(usable, uint32_t(i), loading);
  }
  if (usable.empty()) fail("field 'vertex': there are neither faces nor points; export the file again");
  const Solid solid = usable.size() <= kFine ? octahedron() : tetrahedron();
  if (usable.size() * solid.triangles.size() > kMaxTriangles) {
    fail_limit("field 'vertex': a cloud of {} points is above the limit of 16 million; thin it out", usable.size());
  }
  const bool has_colors = !mesh.colors.empty(), has_normals = mesh.normals.size() == mesh.positions.size();
  constexpr uint64_t kVertex = sizeof(glm::vec4) * 2 + sizeof(glm::vec3) + sizeof(glm::vec2);
  loading.need(usable.size() * (solid.corners.size() * kVertex + solid.triangles.size() * sizeof(solid.triangles[0])),
               "vertex");
  set_up_scene(frame, bounds, std::nullopt, options);
  frame.models = {glm::mat4(1.0f)};
  frame.states = {opaque_state(frame)};
  Material& material = frame.materials.emplace_back();
  material.name = "points";
  material.kind = MaterialKind::metallic_roughness;
  material.diffuse = glm::vec3(has_colors ? 1.0f : 0.8f);
  material.unlit = !has_normals;
  const float radius = mark_radius(frame, bounds, options.point_size);
  for (const uint32_t point : usable) {
    loading.step(frame.positions.size(), usable.size() * solid.corners.size());
    const auto first = uint32_t(frame.positions.size());
    for (const glm::vec3& corner : solid.corners) {
      push_in_steps(frame.positions, glm::vec4(mesh.positions[point] + corner * radius, 1.0f), loading);
      push_in_steps(frame.normals, has_normals ? mesh.normals[point] : corner, loading);
      push_in_steps(frame.texcoords, glm::vec2(0), loading);
      if (has_colors) push_in_steps(frame.colors, glm::vec4(mesh.colors[point], 1), loading);
    }
    for (const auto& triangle : solid.triangles) {
      for (const uint32_t corner : triangle) push_in_steps(frame.indices, first + corner, loading);
    }
  }
  DrawCommand draw;
  draw.vertex_kind = VertexKind::transform;
  draw.indexed = true;
  draw.vertex_count = uint32_t(frame.positions.size());
  draw.element_count = uint32_t(frame.indices.size());
  draw.view_count = uint32_t(frame.views.size());
  draw.label = "points";
  frame.commands.emplace_back(std::in_place_type<DrawCommand>, std::move(draw));
  return frame;
}

}  // namespace brokkr
