// Draws what the pipeline does not draw alone (painting.h), on the render thread.
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
  std::optional<Camera> camera;  // nothing: as loaded
  Clock::time_point requested;
};

// A picture for the window.
struct Painted {
  int width = 0, height = 0;
  std::vector<uint32_t> pixels;  // as Picture::pixels
  Statistics statistics;         // what there is to say; the rest is 0
  std::shared_ptr<const Painting> painting;
  bool goes_on = false;  // the same request again makes a better picture
};

// All but the destructor is called on the render thread.
class Painter {
 public:
  virtual ~Painter() = default;
  virtual bool takes(const RenderRequest& request) const = 0;
  // Returns within a moment where the picture can grow. Throws what becomes an error message.
  virtual Painted paint(const RenderRequest& request, const LoadOptions& load) = 0;
  // Another scene, or another painter's picture, is shown: gives memory back where that is worth it.
  virtual void leave(const RenderRequest& now) = 0;
};

// The views of a scene that has a camera, in a picture of this size: its own where neither was changed, to the last
// bit.
std::vector<View> views_of(const Scene& scene, const std::optional<Camera>& camera, int width, int height);

}  // namespace brokkr::viewer
