// Loads everything that can be rendered: files and generated scenes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "brokkr/frame.h"
#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

// Called on the loading thread with the part that is done, 0..1, at least every 100 ms. May throw LoadCancelled, which
// ends the loading.
using LoadProgress = std::function<void(double)>;
struct LoadCancelled {};

// Called on the loading thread with one line about something that the scene is drawn without, or that was guessed. The
// frame keeps the same lines in Frame::warnings.
using LoadWarning = std::function<void(const std::string&)>;

// For scenes (files, generated). A captured frame has its own sizes and cameras: `width`, `height` and `view_size` do
// not apply to it, and a camera or several views are an error.
struct LoadOptions {
  int width = 0, height = 0;  // pixels; 0: 1920 x 1080, or view_size where there are several views
  std::string camera;         // "eye=1,2,3 target=0,0,0 fov=40 ..." (camera.h); parts left out are fitted
  int views = 0;              // 0: the scene's own number (mostly 1); > 1: an orbit, each view a layer of target 0
  int view_size = 128;        // pixels a side of each of several views
  // MiB that the file, the frame, and what its reading takes on top may have; 0: a quarter of what is free, 4096 at
  // most. Nothing larger is allocated: a file that wants more is an error that says how much.
  int memory_limit = 0;
  LoadProgress progress;  // may be empty
  LoadWarning warning;    // may be empty
  bool strict = false;    // every warning is an error
  float point_size = 3;   // pixels that the points of a cloud are wide
};

// Sources that load_frame knows: file name endings (".bkf", ".obj") and generated scenes ("generated:city").
struct SceneSource {
  std::string name, description;
};
std::vector<SceneSource> scene_sources();

// Whether `path` has the ending of a file that load_frame reads, in small or capital letters.
bool is_loadable(const std::string& path);

// `path` is a file, or "generated:NAME[?key=value&key=value]" (generated.h). The frame is validated. Throws
// std::runtime_error naming file, field and remedy, and what `progress` throws.
Frame load_frame(const std::string& path, const LoadOptions& options);

}  // namespace brokkr
#pragma GCC visibility pop
