// Draws what the pipeline does not draw alone (painting.h), on the render thread. Programs that have no painters, as
// the first one that tools/run builds, show frames of the pipeline only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
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

// What a program paints with. No member is null where there are painters.
struct Painters {
  std::vector<std::unique_ptr<Painter>> (*make)() = nullptr;
  // Loads patches: "reyes:NAME", or a .bpt file. Throws std::runtime_error naming file, field and remedy.
  std::shared_ptr<const Scene> (*load_patches)(const std::string& path, const LoadOptions& options) = nullptr;
  std::vector<std::string> patch_scenes;  // that are built in: "reyes:tea-set"

  explicit operator bool() const { return make != nullptr; }
};
// All that there are (library brokkr_viewer_painters).
Painters all_painters();

// Whether this is one of Painters::load_patches.
bool is_patch_scene(const std::string& path);
// Throws std::runtime_error for one that is built in nowhere, and where there are no painters.
void require_patch_scenes(const std::vector<std::string>& files, const Painters& painters);
inline constexpr const char* kPatchScenes = "reyes:";  // before the name of one that is built in

// The views of a scene that has a camera, in a picture of this size: its own where neither was changed, to the last
// bit.
std::vector<View> views_of(const Scene& scene, const std::optional<Camera>& camera, int width, int height);

std::unique_ptr<Painter> make_trace_painter();
std::unique_ptr<Painter> make_reyes_painter();

}  // namespace brokkr::viewer
