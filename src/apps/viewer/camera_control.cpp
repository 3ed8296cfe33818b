#include "viewer/camera_control.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>
#include <glm/trigonometric.hpp>

namespace brokkr::viewer {
namespace {

std::string number(float value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string vector(const glm::vec3& v) { return number(v.x) + "," + number(v.y) + "," + number(v.z); }

struct Axes {
  glm::vec3 right, up, forward;
};

Axes axes_of(const Camera& c) {
  const glm::vec3 forward = glm::normalize(c.target - c.eye);
  glm::vec3 up = c.up;
  if (glm::length(glm::cross(forward, up)) < 1e-4f * glm::length(up))
    up = std::abs(forward.y) < 0.9f ? glm::vec3(0, 1, 0) : glm::vec3(0, 0, 1);
  const glm::vec3 right = glm::normalize(glm::cross(forward, up));
  return {right, glm::cross(right, forward), forward};
}

glm::vec3 rotated(const glm::vec3& v, float angle, const glm::vec3& axis) {
  return glm::vec3(glm::rotate(glm::mat4(1.0f), angle, axis) * glm::vec4(v, 0));
}

// Turns `direction` by yaw around up and by pitch around right, but never past the poles.
glm::vec3 turned(const Camera& c, const glm::vec3& direction, float yaw, float pitch) {
  const glm::vec3 up = glm::normalize(c.up);
  const float length = glm::length(direction);
  const float elevation = std::asin(std::clamp(glm::dot(direction / length, up), -1.0f, 1.0f));
  const float limit = glm::radians(89.0f);
  const float wanted = std::clamp(elevation + pitch, std::min(-limit, elevation), std::max(limit, elevation));
  const glm::vec3 right = axes_of(c).right;
  // A positive angle around `right` raises a direction that points forward and lowers one that points backward.
  const float sense = glm::dot(glm::cross(right, direction), up) >= 0 ? 1.0f : -1.0f;
  const glm::vec3 lifted = rotated(direction, sense * (wanted - elevation), right);
  return rotated(lifted, yaw, up);
}

// A drag across the picture's height turns the camera by half a circle.
constexpr float kTurn = 3.14159265f;

}  // namespace

std::string camera_text(const Camera& c) {
  std::string text =
      "eye=" + vector(c.eye) + " target=" + vector(c.target) + " up=" + vector(c.up) + " fov=" + number(c.fov);
  if (c.near_plane > 0) text += " near=" + number(c.near_plane);
  if (c.far_plane > 0) text += " far=" + number(c.far_plane);
  return text;
}

void CameraControl::reset(const Camera& camera, const Bounds& bounds) {
  start_ = camera;
  current_.reset();
  size_ = bounds.empty() ? glm::length(camera.target - camera.eye) : std::max(bounds.radius(), 1e-6f);
}

void CameraControl::turn(float degrees) {
  Camera c = camera();
  c.eye = c.target + rotated(c.eye - c.target, glm::radians(degrees), glm::normalize(c.up));
  current_ = c;
}

void CameraControl::orbit(glm::vec2 pixels, float height) {
  Camera c = camera();
  const glm::vec3 backward = c.eye - c.target;
  c.eye = c.target + turned(c, backward, -kTurn * pixels.x / height, kTurn * pixels.y / height);
  current_ = c;
}

void CameraControl::look(glm::vec2 pixels, float height) {
  Camera c = camera();
  const glm::vec3 forward = c.target - c.eye;
  const float angle = glm::radians(c.fov) / height;  // keeps the point under the mouse
  c.target = c.eye + turned(c, forward, -angle * pixels.x, -angle * pixels.y);
  current_ = c;
}

void CameraControl::pan(glm::vec2 pixels, float height) {
  Camera c = camera();
  const Axes axes = axes_of(c);
  const float distance = glm::length(c.target - c.eye);
  const float unit = 2 * distance * std::tan(glm::radians(c.fov) / 2) / height;
  const glm::vec3 move = (axes.up * pixels.y - axes.right * pixels.x) * unit;
  c.eye += move;
  c.target += move;
  current_ = c;
}

void CameraControl::dolly(float steps) {
  Camera c = camera();
  const float factor = std::pow(0.88f, std::clamp(steps, -50.0f, 50.0f));
  const glm::vec3 backward = (c.eye - c.target) * factor;
  if (!(glm::length(backward) > 1e-6f * size_) || !(glm::length(backward) < 1e6f * size_)) return;
  c.eye = c.target + backward;
  current_ = c;
}

void CameraControl::fly(glm::vec3 direction, float seconds) {
  Camera c = camera();
  const Axes axes = axes_of(c);
  const glm::vec3 move =
      (axes.right * direction.x + axes.up * direction.y + axes.forward * direction.z) * (0.5f * size_ * seconds);
  c.eye += move;
  c.target += move;
  current_ = c;
}

bool CameraControl::recall_bookmark(size_t slot) {
  if (!bookmarks[slot]) return false;
  current_ = bookmarks[slot];
  return true;
}

}  // namespace brokkr::viewer
