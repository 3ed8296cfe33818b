#include "brokkr/camera.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <glm/common.hpp>
#include <glm/ext/matrix_clip_space.hpp>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <glm/trigonometric.hpp>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace brokkr {
namespace {

[[noreturn]] void refuse(std::string_view part, const std::string& problem) {
  throw std::runtime_error("camera, field '" + std::string(part) + "': " + problem +
                           "; write for instance \"eye=1,2,3 target=0,0,0 up=0,1,0 fov=45 near=0.1 far=100\"");
}

// Squares and quotients of values in this range fit in a float.
constexpr float kShortest = 1e-15f, kNearest = 1e-12f, kFarthest = 1e18f;

float parse_number(std::string_view part, std::string_view text) {
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(std::abs(value) < 1e18f)) {
    refuse(part, "'" + std::string(text) + "' is not a number");
  }
  return value;
}

glm::vec3 parse_vector(std::string_view part, std::string_view text) {
  glm::vec3 value(0.0f);
  for (int i = 0; i < 3; i++) {
    const size_t comma = text.find(',');
    if ((comma == std::string_view::npos) != (i == 2)) refuse(part, "it needs three numbers");
    value[i] = parse_number(part, text.substr(0, comma));
    text.remove_prefix(i == 2 ? text.size() : comma + 1);
  }
  return value;
}

std::array<glm::vec3, 8> corners_of(const Bounds& bounds) {
  std::array<glm::vec3, 8> corners;
  for (unsigned i = 0; i < 8; i++) {
    for (int axis = 0; axis < 3; axis++) corners[i][axis] = (i >> axis & 1 ? bounds.high : bounds.low)[axis];
  }
  return corners;
}

// Returns `up`, or another direction if `up` is parallel to `direction`.
glm::vec3 usable_up(const glm::vec3& direction, const glm::vec3& up) {
  if (glm::length(glm::cross(direction, up)) > 1e-4f * glm::length(up)) return up;
  return std::abs(direction.y) < 0.9f ? glm::vec3(0, 1, 0) : glm::vec3(0, 0, 1);
}

}  // namespace

void Bounds::add(const glm::vec3& point) {
  low = glm::min(low, point);
  high = glm::max(high, point);
}

Bounds bounds_of(const Frame& frame) {
  Bounds bounds;
  std::map<std::pair<uint64_t, uint32_t>, Bounds> meshes;  // by first vertex and number
  for (const Command& command : frame.commands) {
    const auto* const draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr || draw->vertex_kind != VertexKind::transform) continue;
    // The box is in object space, so all instances and all draws of the same vertices share it.
    const auto [place, is_new] = meshes.try_emplace({draw->first_vertex, draw->vertex_count});
    Bounds& own = place->second;
    for (uint64_t v = draw->first_vertex; is_new && v < draw->first_vertex + draw->vertex_count; ++v) {
      const glm::vec3 at(frame.positions[size_t(v)]);
      if (std::isfinite(at.x) && std::isfinite(at.y) && std::isfinite(at.z)) own.add(at);
    }
    if (own.empty()) continue;
    for (uint32_t i = 0; i < draw->instances; ++i) {
      const glm::mat4& model = frame.models[draw->first_instance + i];
      for (const glm::vec3& corner : corners_of(own)) bounds.add(glm::vec3(model * glm::vec4(corner, 1.0f)));
    }
  }
  return bounds;
}

Camera fit_camera(const Bounds& bounds, float aspect) {
  Camera camera;
  if (bounds.empty()) return camera;
  const glm::vec3 backward = glm::normalize(glm::vec3(0.45f, 0.35f, 1.0f));
  const glm::vec3 right = glm::normalize(glm::cross(camera.up, backward));
  const glm::vec3 up = glm::cross(backward, right);
  const float slope = std::tan(glm::radians(camera.fov) / 2);
  // The smallest distance at which all corners of the box lie inside the four sides of the picture.
  float distance = 0;
  for (const glm::vec3& corner : corners_of(bounds)) {
    const glm::vec3 offset = corner - bounds.center();
    const float aside = std::max(std::abs(glm::dot(offset, right)) / aspect, std::abs(glm::dot(offset, up)));
    distance = std::max(distance, glm::dot(offset, backward) + aside / slope);
  }
  camera.target = bounds.center();
  camera.eye = camera.target + backward * std::max(distance * 1.05f, 1e-6f);
  return camera;
}

Camera parse_camera(const std::string& text, const Camera& camera) {
  Camera result = camera;
  std::string words = text;
  std::replace(words.begin(), words.end(), ';', ' ');
  std::istringstream in(words);
  for (std::string word; in >> word;) {
    const size_t equals = word.find('=');
    const std::string part = word.substr(0, equals);
    if (equals == std::string::npos) refuse(part, "it has no '='");
    const std::string_view value = std::string_view(word).substr(equals + 1);
    glm::vec3* const vector = part == "eye"      ? &result.eye
                              : part == "target" ? &result.target
                              : part == "up"     ? &result.up
                                                 : nullptr;
    float* const plane = part == "near" ? &result.near_plane : part == "far" ? &result.far_plane : nullptr;
    if (vector != nullptr) {
      *vector = parse_vector(part, value);
    } else if (plane != nullptr) {
      *plane = parse_number(part, value);
      if (!(*plane >= kNearest && *plane <= kFarthest)) refuse(part, "it is outside 1e-12..1e18");
    } else if (part == "fov") {
      result.fov = parse_number(part, value);
      if (!(result.fov >= 1 && result.fov <= 170)) refuse(part, "it is outside 1..170 degrees");
    } else {
      refuse(part, "there is no such part");
    }
  }
  if (!(glm::length(result.eye - result.target) > kShortest)) refuse("eye", "it is at the target's place");
  if (!(glm::length(result.up) > kShortest)) refuse("up", "it is zero");
  if (result.near_plane > 0 && result.far_plane > 0 && result.near_plane >= result.far_plane) {
    refuse("near", "it is not below far");
  }
  return result;
}

namespace {

struct DepthRange {
  float near_plane, far_plane;
};

// The depth range around `bounds`, seen from `eye` in the direction `forward`. Inside the scene, the near plane is a
// compromise between clipped geometry and depth resolution.
DepthRange depth_range(const Bounds& bounds, const glm::vec3& eye, const glm::vec3& forward) {
  float nearest = 1, farthest = 2, radius = 1;
  if (!bounds.empty()) {
    radius = std::max(bounds.radius(), 1e-6f);
    const float to_center = glm::dot(bounds.center() - eye, forward);
    nearest = farthest = to_center;
    for (const glm::vec3& corner : corners_of(bounds)) {
      const float depth = glm::dot(corner - eye, forward);
      nearest = std::min(nearest, depth);
      farthest = std::max(farthest, depth);
    }
  }
  return {std::max(nearest, radius * 2e-3f) * 0.99f, std::max(farthest, radius * 0.01f) * 1.01f};
}

}  // namespace

View make_view(const Camera& camera, const Bounds& bounds, float aspect, uint32_t target, uint32_t layer) {
  const glm::vec3 forward = glm::normalize(camera.target - camera.eye);
  auto [near_plane, far_plane] = depth_range(bounds, camera.eye, forward);
  if (camera.near_plane > 0) near_plane = camera.near_plane;
  if (camera.far_plane > 0) far_plane = camera.far_plane;
  if (near_plane >= far_plane) {  // one of them was given, and it lies beyond the scene
    (camera.near_plane > 0 ? far_plane : near_plane) = camera.near_plane > 0 ? near_plane * 2 : far_plane / 2;
  }

  View view;
  view.target = target;
  view.layer = layer;
  view.eye = camera.eye;
  view.view_projection = glm::perspectiveRH_NO(glm::radians(camera.fov), aspect, near_plane, far_plane) *
                         glm::lookAtRH(camera.eye, camera.target, usable_up(forward, camera.up));
  return view;
}

View make_view(const PinholeCamera& camera, const Bounds& bounds, float aspect, uint32_t target, uint32_t layer) {
  const glm::dmat4 to_world = glm::inverse(camera.world_to_camera);
  const DepthRange range = depth_range(bounds, glm::vec3(to_world[3]), glm::normalize(-glm::vec3(to_world[2])));
  const double n = double(range.near_plane), f = double(range.far_plane);
  const double focal_y = camera.focal_y > 0 ? camera.focal_y : camera.focal_x * double(aspect);
  glm::dmat4 projection(0.0);
  projection[0][0] = 2 * camera.focal_x;
  projection[1][1] = 2 * focal_y;
  projection[2][0] = 1 - 2 * camera.center_x;
  projection[2][1] = 2 * camera.center_y - 1;
  projection[2][2] = (f + n) / (n - f);
  projection[2][3] = -1;
  projection[3][2] = 2 * f * n / (n - f);
  View view;
  view.target = target;
  view.layer = layer;
  view.eye = glm::vec3(to_world[3]);
  view.view_projection = glm::mat4(projection * camera.world_to_camera);
  return view;
}

Camera elevated(Camera camera, float degrees) {
  const glm::vec3 up = glm::normalize(camera.up), offset = camera.eye - camera.target;
  glm::vec3 level = offset - up * glm::dot(offset, up);
  if (glm::length(level) < 1e-6f * glm::length(offset)) level = usable_up(up, glm::vec3(0, 0, 1));
  const float angle = glm::radians(degrees);
  camera.eye = camera.target + glm::length(offset) * (std::cos(angle) * glm::normalize(level) + std::sin(angle) * up);
  return camera;
}

std::vector<View> make_orbit(const Camera& camera, const Bounds& bounds, float aspect, uint32_t target,
                             uint32_t count) {
  std::vector<View> views;
  views.reserve(count);
  for (uint32_t i = 0; i < count; i++) {
    const float angle = glm::radians(360.0f) * float(i) / float(count);
    const glm::mat4 rotation = glm::rotate(glm::mat4(1.0f), angle, camera.up);
    Camera turned = camera;
    turned.eye = camera.target + glm::vec3(rotation * glm::vec4(camera.eye - camera.target, 0.0f));
    views.push_back(make_view(turned, bounds, aspect, target, i));
  }
  return views;
}

}  // namespace brokkr
