// Moves the camera by mouse and keyboard, both in scenes and in the eye space of captured frames.
#pragma once

#include <array>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <optional>
#include <string>

#include "brokkr/camera.h"

namespace brokkr::viewer {

// "eye=1,2,3 target=0,0,0 up=0,1,0 fov=45". parse_camera reads it back exactly. Near and far planes appear only if they
// are set.
std::string camera_text(const Camera& camera);

class CameraControl {
 public:
  // Sets the initial camera. Bookmarks stay.
  void reset(const Camera& camera, const Bounds& bounds);
  void home() { current_.reset(); }

  // Empty while the camera is at its start; the frame's own views are then drawn, bit for bit.
  const std::optional<Camera>& moved() const { return current_; }
  const Camera& camera() const { return current_ ? *current_ : start_; }
  void move_to(const Camera& camera) { current_ = camera; }
  // Throws std::runtime_error like parse_camera.
  void set_text(const std::string& text) { move_to(parse_camera(text, camera())); }

  // `pixels`: movement of the mouse to the right and down; `height`: height of the picture as displayed, in the same
  // pixels.
  void orbit(glm::vec2 pixels, float height);
  // Moves the camera around the target.
  void turn(float degrees);
  void pan(glm::vec2 pixels, float height);
  void look(glm::vec2 pixels, float height);
  // `steps`: of the wheel; positive steps move closer.
  void dolly(float steps);
  // `direction`: right, up, forward, each -1..1. The speed depends on the size of the scene.
  void fly(glm::vec3 direction, float seconds);

  void save_bookmark(size_t slot) { bookmarks[slot] = camera(); }
  bool recall_bookmark(size_t slot);
  std::array<std::optional<Camera>, 10> bookmarks;

 private:
  Camera start_;
  std::optional<Camera> current_;
  float size_ = 1;  // size of the scene
};

}  // namespace brokkr::viewer
