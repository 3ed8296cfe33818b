// Cameras of scenes, fitted to the scene or given as text.
#pragma once

#include <functional>
#include <glm/geometric.hpp>
#include <glm/mat4x4.hpp>
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

// The box around all vertices of the frame's VertexKind::transform draws, in world space. Each instance is where its
// model matrix puts it. Ignores vertices that are not finite. Empty if there are none.
Bounds bounds_of(const Frame& frame);

struct Camera {
  glm::vec3 eye{0, 0, 1}, target{0}, up{0, 1, 0};
  float fov = 45;                       // vertical, in degrees, within 1..170
  float near_plane = 0, far_plane = 0;  // 0: derived from the scene's bounds
  bool operator==(const Camera&) const = default;
};

// A camera that sees all of `bounds` from slightly above and from the right. `aspect` = width / height.
Camera fit_camera(const Bounds& bounds, float aspect);

// Replaces the parts of `camera` that `text` names: "eye=1,2,3 target=0,0,0 up=0,1,0 fov=60 near=0.1 far=100", in any
// order, separated by white space or semicolons. Throws std::runtime_error; the message names the part.
Camera parse_camera(const std::string& text, const Camera& camera);

// A view from `camera`. If a near or far plane is 0, it is placed around `bounds`.
View make_view(const Camera& camera, const Bounds& bounds, float aspect, uint32_t target, uint32_t layer);

// A pinhole camera and its pose, as photogrammetry and learned scenes describe cameras.
struct PinholeCamera {
  glm::dmat4 world_to_camera{1.0};        // the camera looks along -z, +y is up
  double focal_x = 1, focal_y = 0;        // in widths and in heights of the picture; focal_y 0: pixels are square
  double center_x = 0.5, center_y = 0.5;  // in widths from the left, in heights from the top
  int width = 0, height = 0;              // of the picture; 0: the file does not specify it
  bool operator==(const PinholeCamera&) const = default;
};
// A view from `camera`, with near and far planes around `bounds`.
View make_view(const PinholeCamera& camera, const Bounds& bounds, float aspect, uint32_t target, uint32_t layer);

// Reads the cameras of a file: transforms.json as NeRF tools write it, or images.txt of COLMAP with cameras.txt beside
// it (or the folder with both). `warning` receives a line for each thing that is left out, such as the lens's
// distortion; it may be empty. Throws FileError; the message names file, field and remedy.
std::vector<PinholeCamera> read_cameras(const std::string& path,
                                        const std::function<void(const std::string&)>& warning);

// Moves the camera to `degrees` above the plane through its target that is normal to `up`; negative numbers are below
// the plane. `degrees` is within -89..89. Direction and distance are unchanged.
Camera elevated(Camera camera, float degrees);

// Returns `count` views, evenly spaced around the axis through the camera's target. The first is the camera itself, and
// they draw to layers 0..count - 1.
std::vector<View> make_orbit(const Camera& camera, const Bounds& bounds, float aspect, uint32_t target, uint32_t count);

}  // namespace brokkr
#pragma GCC visibility pop
