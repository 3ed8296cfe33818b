// Cameras of scenes, fitted to the scene or given as text.
#pragma once

#include <glm/geometric.hpp>
#include <glm/vec3.hpp>
#include <limits>
#include <string>
#include <vector>

#include "brokkr/frame.h"
#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

// An axis-aligned box; empty if low > high.
struct Bounds {
  glm::vec3 low{std::numeric_limits<float>::max()}, high{std::numeric_limits<float>::lowest()};

  void add(const glm::vec3& point);
  bool empty() const { return low.x > high.x; }
  glm::vec3 center() const { return 0.5f * (low + high); }
  float radius() const { return 0.5f * glm::length(high - low); }
};

// The box around all vertices of the frame's VertexKind::transform draws, in world space, each instance where its model
// matrix puts it. Vertices that are not finite do not count. Empty if there are none.
Bounds bounds_of(const Frame& frame);

struct Camera {
  glm::vec3 eye{0, 0, 1}, target{0}, up{0, 1, 0};
  float fov = 45;                       // vertical, degrees, inside 1..170
  float near_plane = 0, far_plane = 0;  // 0: derived from the scene's bounds
  bool operator==(const Camera&) const = default;
};

// A camera that sees all of `bounds` from slightly above and from the right. `aspect` = width / height.
Camera fit_camera(const Bounds& bounds, float aspect);

// Replaces the parts of `camera` that `text` names: "eye=1,2,3 target=0,0,0 up=0,1,0 fov=60 near=0.1 far=100", in any
// order, separated by white space or semicolons. Throws std::runtime_error that names the part.
Camera parse_camera(const std::string& text, const Camera& camera);

// A view from `camera`. Near and far planes that are 0 are placed around `bounds`.
View make_view(const Camera& camera, const Bounds& bounds, float aspect, uint32_t target, uint32_t layer);

// `count` views, evenly spaced around the axis through the camera's target, starting with the camera itself, in layers
// 0..count - 1.
std::vector<View> make_orbit(const Camera& camera, const Bounds& bounds, float aspect, uint32_t target, uint32_t count);

}  // namespace brokkr
#pragma GCC visibility pop
