// The frame that the render thread draws: the scene's, with size, camera and hidden draws of the newest request.
#pragma once

#include <memory>
#include <optional>

#include "viewer/panel.h"

namespace brokkr::viewer {

class WorkingFrame {
 public:
  // Makes frame and prepared frame as requested. It repeats only the work that the change since the last call needs:
  // the views where the camera of a scene moved, the vertices where that of a captured frame did. Throws what
  // Renderer::prepare throws, and std::invalid_argument for a size beyond the limits; the frame is then invalid until
  // the next call. `camera`: nothing for the one that the frame was loaded with.
  void update(Renderer& renderer, const std::shared_ptr<const Scene>& scene, const FrameSettings& settings,
              const std::optional<Camera>& camera);

  bool ready() const { return prepared_ != nullptr; }
  const Frame& frame() const { return *frame_; }
  PreparedFrame& prepared() { return *prepared_; }
  std::shared_ptr<const PreparedFrame> shared_prepared() const { return prepared_; }
  uint32_t target() const { return target_; }
  uint32_t layer() const { return layer_; }

 private:
  struct Made {
    std::shared_ptr<const Scene> scene;
    int width = 0, height = 0, target = 0;
    std::vector<uint32_t> hidden;
    std::optional<Camera> camera;
  };
  void make_anew(Renderer& renderer, const Made& wanted);
  void place_camera(const Made& wanted);

  Made made_;
  std::shared_ptr<Frame> frame_;
  std::shared_ptr<PreparedFrame> prepared_;
  uint32_t target_ = 0, layer_ = 0;
};

}  // namespace brokkr::viewer
