#include "brokkr/load.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "scene/bkf.h"
#include "scene/failure.h"
#include "scene/generated.h"
#include "scene/obj.h"

namespace brokkr {
namespace {

constexpr std::string_view kGenerated = "generated:";

}  // namespace

std::vector<SceneSource> scene_sources() {
  std::vector<SceneSource> sources = {{".bkf", "a captured frame"},
                                      {".obj", "a Wavefront scene with its materials and textures"}};
  for (const SceneSource& scene : generated_scenes()) {
    sources.push_back({std::string(kGenerated) + scene.name, scene.description});
  }
  return sources;
}

Frame load_frame(const std::string& path, const LoadOptions& options) {
  if (path.starts_with(kGenerated)) return generate(std::string_view(path).substr(kGenerated.size()), options);
  std::string extension = std::filesystem::path(path).extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  if (extension == ".bkf") {
    if (!options.camera.empty() || options.views > 1) {
      fail(
          "{}: a captured frame holds transformed vertices, so that it has no camera to change; leave out the camera "
          "and the number of views",
          path);
    }
    return read_bkf(std::filesystem::path(path), {}, options.progress);
  }
  if (extension == ".obj") return read_obj(std::filesystem::path(path), options);
  fail("{}: the kind of file is unknown; name a .bkf or .obj file, or generated:NAME", path);
}

}  // namespace brokkr
