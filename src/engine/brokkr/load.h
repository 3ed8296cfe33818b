// Loads every source that can be rendered: files and generated scenes.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "brokkr/camera.h"
#include "brokkr/errors.h"
#include "brokkr/frame.h"
#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

// Called on the loading thread with the completed fraction, 0..1, at least every 100 ms. May throw LoadCancelled to end
// the loading.
using LoadProgress = std::function<void(double)>;
// A LoadProgress throws this to end the loading; load_frame passes it on.
struct LoadCancelled {};

// Called on the loading thread with one line about something that was left out of the scene, or guessed. The frame
// keeps the same lines in Frame::warnings.
using LoadWarning = std::function<void(const std::string&)>;

// For scenes from files, or generated ones. A captured frame has its own sizes and cameras: `width`, `height` and
// `view_size` do not apply to it, and a camera or several views are an error.
struct LoadOptions {
  int width = 0, height = 0;  // pixels; 0: 1920 x 1080, or view_size if there are several views
  std::string camera;  // "eye=1,2,3 target=0,0,0 fov=40 ..." (brokkr/camera.h); missing parts are fitted to the scene
  std::optional<float> elevation;      // degrees of the camera above its target's horizon (brokkr/camera.h)
  std::vector<PinholeCamera> cameras;  // one view each, in layers of target 0; replaces camera and views
  int views = 0;        // 0: the scene's own number (usually 1); > 1: an orbit, each view in a layer of target 0
  int view_size = 128;  // pixels per side, if there are several views
  // The limit in MiB for the file, the frame, and the additional memory that reading takes; 0: a quarter of the free
  // memory, at most 4096. Nothing beyond the limit is allocated. A larger file is an error that states its size.
  int memory_limit = 0;
  LoadProgress progress;  // may be empty
  LoadWarning warning;    // may be empty: warnings are then dropped
  bool strict = false;    // every warning is an error
  float point_size = 3;   // width of a cloud's points in pixels
};

// A kind of source that load_frame accepts: a file name ending (".bkf", ".obj") or a generated scene
// ("generated:city").
struct SceneSource {
  std::string name, description;
};
// All sources: file name endings first, then generated scenes.
std::vector<SceneSource> scene_sources();

// Returns true if load_frame reads files with this ending, in upper or lower case.
bool is_loadable(const std::string& path);

// `path` is a file, or "generated:NAME[?key=value&key=value]" (generated.h). The returned frame has been validated.
// Throws FileError or MemoryLimitError; their messages name file, field and remedy. Passes on what `progress` throws.
Frame load_frame(const std::string& path, const LoadOptions& options);

// Does the same for a file in memory. Messages use `name` as the file's name, and its ending determines the kind of
// file. Files that the file refers to are not available (buffers of a .gltf, an OBJ's materials, textures). A .glb or
// .bkf contains everything.
Frame load_frame(std::span<const std::byte> file, const std::string& name, const LoadOptions& options);

}  // namespace brokkr
#pragma GCC visibility pop
