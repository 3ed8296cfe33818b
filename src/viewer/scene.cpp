#include "viewer/scene.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/trigonometric.hpp>
#include <utility>

namespace brokkr::viewer {
namespace {

Bounds bounds_of(const Frame& frame) {
  Bounds bounds;
  for (const Command& command : frame.commands) {
    const auto* draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr || draw->vertex_kind != VertexKind::transform || draw->vertex_count == 0) continue;
    Bounds mesh;  // object space: one box for all instances
    for (uint64_t v = draw->first_vertex; v < draw->first_vertex + draw->vertex_count; ++v)
      mesh.add(glm::vec3(frame.positions[size_t(v)]));
    for (uint32_t i = 0; i < draw->instances; ++i) {
      const glm::mat4& model = frame.models[draw->first_instance + i];
      for (unsigned corner = 0; corner < 8; ++corner) {
        glm::vec4 p(0, 0, 0, 1);
        for (int axis = 0; axis < 3; ++axis) p[axis] = (corner >> axis & 1 ? mesh.high : mesh.low)[axis];
        bounds.add(glm::vec3(model * p));
      }
    }
  }
  return bounds;
}

glm::vec3 row(const glm::mat4& m, int r) { return {m[0][r], m[1][r], m[2][r]}; }

}  // namespace

Camera camera_of(const View& view, const Bounds& bounds) {
  // The rows of projection * view are the view's axes, scaled: right / (aspect tan), up / tan, ..., forward.
  Camera camera;
  const glm::vec3 forward = row(view.view_projection, 3), up = row(view.view_projection, 1);
  if (!(glm::length(forward) > 0) || !(glm::length(up) > 0)) return camera;
  camera.eye = view.eye;
  camera.up = glm::normalize(up);
  camera.fov = std::clamp(glm::degrees(2 * std::atan(glm::length(forward) / glm::length(up))), 1.0f, 170.0f);
  const glm::vec3 direction = glm::normalize(forward);
  float distance = 1;
  if (!bounds.empty()) {
    distance = glm::dot(bounds.center() - camera.eye, direction);
    if (!(distance > 0.05f * bounds.radius())) distance = std::max(0.5f * bounds.radius(), 1e-4f);
  }
  camera.target = camera.eye + direction * distance;
  // Turning around the world's own up keeps horizons level.
  const glm::vec3 world_up(0, 1, 0);
  if (glm::dot(camera.up, world_up) > 0 && glm::length(glm::cross(direction, world_up)) > 1e-3f &&
      std::abs(glm::dot(glm::normalize(glm::cross(direction, world_up)), camera.up)) < 1e-3f)
    camera.up = world_up;
  return camera;
}

std::shared_ptr<const Scene> make_scene(std::string path, Frame frame, double load_ms) {
  auto scene = std::make_shared<Scene>();
  scene->path = std::move(path);
  scene->frame = std::move(frame);
  scene->load_ms = load_ms;
  const auto transformed = [](const Command& command) {
    const auto* draw = std::get_if<DrawCommand>(&command);
    return draw != nullptr && draw->vertex_kind == VertexKind::transform;
  };
  scene->clip_space = std::none_of(scene->frame.commands.begin(), scene->frame.commands.end(), transformed);
  if (scene->clip_space) {
    scene->unprojection = unproject(scene->frame, main_target(scene->frame), kCapturedFov);
    scene->bounds = scene->unprojection.bounds;
    scene->camera = scene->unprojection.camera;
  } else {
    scene->bounds = bounds_of(scene->frame);
    scene->camera = camera_of(scene->frame.views[0], scene->bounds);
  }
  return scene;
}

uint64_t memory_of(const Frame& frame) {
  const auto bytes = [](const auto& v) { return uint64_t(v.size() * sizeof(v[0])); };
  uint64_t sum = bytes(frame.indices) + bytes(frame.positions) + bytes(frame.normals) + bytes(frame.texcoords) +
                 bytes(frame.models) + bytes(frame.commands);
  for (const Texture& texture : frame.textures) sum += bytes(texture.texels);
  for (const Reference& reference : frame.references) sum += bytes(reference.depth) + bytes(reference.color_jpeg);
  return sum;
}

}  // namespace brokkr::viewer
