// Draws pictures that the pipeline alone cannot draw (painting.h), on the render thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "viewer/panel.h"

namespace brokkr::viewer {

struct RenderRequest {
  std::shared_ptr<const Scene> scene;
  FrameSettings settings;
  std::optional<Camera> camera;  // empty: as loaded
  Clock::time_point requested;
};

// A picture for the window.
struct Painted {
  int width = 0, height = 0;
  std::vector<uint32_t> pixels;  // as Picture::pixels
  Statistics statistics;         // fields that do not apply are 0
  std::shared_ptr<const Painting> painting;
  bool goes_on = false;  // the same request again improves the picture
};

// All functions except the destructor run on the render thread.
class Painter {
 public:
  virtual ~Painter() = default;
  virtual bool takes(const RenderRequest& request) const = 0;
  // Returns quickly if the picture can improve with later calls. Exceptions become error messages.
  virtual Painted paint(const RenderRequest& request, const LoadOptions& load) = 0;
  // Another scene, or another painter's picture, is now shown: frees memory if that is worthwhile.
  virtual void leave(const RenderRequest& now) = 0;
};

// The views of a scene with a camera, for a picture of this size. If neither camera nor size was changed, these are
// exactly the scene's own views.
std::vector<View> views_of(const Scene& scene, const std::optional<Camera>& camera, int width, int height);

}  // namespace brokkr::viewer
