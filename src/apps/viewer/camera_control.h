// The camera under mouse and keyboard, the same for scenes and for the eye space of captured frames.
#pragma once

#include <array>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <optional>
#include <string>

#include "brokkr/camera.h"

namespace brokkr::viewer {

// "eye=1,2,3 target=0,0,0 up=0,1,0 fov=45": parse_camera reads it back to the last bit. Near and far planes are named
// only where they are set.
std::string camera_text(const Camera& camera);

class CameraControl {
 public:
  // A camera to begin with. Bookmarks stay.
  void reset(const Camera& camera, const Bounds& bounds);
  void home() { current_.reset(); }

  // Nothing while the camera is where it began: the frame's own views are then drawn, bit for bit.
  const std::optional<Camera>& moved() const { return current_; }
  const Camera& camera() const { return current_ ? *current_ : start_; }
  void move_to(const Camera& camera) { current_ = camera; }
  // Throws std::runtime_error as parse_camera does.
  void set_text(const std::string& text) { move_to(parse_camera(text, camera())); }

  // `pixels`: of the mouse, right and down; `height`: of the picture as it is shown, in the same pixels.
  void orbit(glm::vec2 pixels, float height);
  // Goes around the target.
  void turn(float degrees);
  void pan(glm::vec2 pixels, float height);
  void look(glm::vec2 pixels, float height);
  // Wheel steps; positive ones come closer.
  void dolly(float steps);
  // `direction`: right, up, forward, each -1..1. The speed fits the scene.
  void fly(glm::vec3 direction, float seconds);

  void save_bookmark(size_t slot) { bookmarks[slot] = camera(); }
  bool recall_bookmark(size_t slot);
  std::array<std::optional<Camera>, 10> bookmarks;

 private:
  Camera start_;
  std::optional<Camera> current_;
  float size_ = 1;  // of the scene
};

}  // namespace brokkr::viewer
