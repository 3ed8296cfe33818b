#include "brokkr/load.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/nearest_name.h"
#include "brokkr/vertex_stage.h"
#include "formats/gltf.h"
#include "formats/obj.h"
#include "formats/sources.h"
#include "frame/bkf.h"

namespace brokkr {
namespace {

constexpr std::string_view kGenerated = "generated:";

std::string lower_ending(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return ending;
}

}  // namespace

std::vector<SceneSource> scene_sources() {
  std::vector<SceneSource> sources = {{".bkf", "a captured frame"},
                                      {".obj", "a Wavefront scene with its materials and textures"},
                                      {".gltf", "a glTF 2.0 scene and the files that it names"},
                                      {".glb", "a glTF 2.0 scene in one file"},
                                      {".ply", "a mesh: text or binary"},
                                      {".stl", "a mesh without materials: text or binary"}};
  for (const SceneSource& scene : generated_scenes()) {
    sources.push_back({std::string(kGenerated) + scene.name, scene.description});
  }
  return sources;
}

bool is_loadable(const std::string& path) {
  const std::string ending = lower_ending(path);
  const std::vector<SceneSource> sources = scene_sources();
  return !ending.empty() &&
         std::any_of(sources.begin(), sources.end(), [&](const SceneSource& source) { return source.name == ending; });
}

namespace {

void refuse_cameras(const std::string& name, const LoadOptions& options) {
  if (options.camera.empty() && options.views <= 1 && options.cameras.empty() && !options.elevation) return;
  fail(
      "{}: a captured frame has its own camera and views, which this command does not move; leave out the camera and "
      "the number of views",
      name);
}

// Computes the vertices of a captured frame with its vertex programs.
Frame shaded(Frame frame, const LoadOptions& options) {
  if (frame.vertex_inputs.empty()) return frame;
  LoadOptions shading = options;
  if (options.progress) shading.progress = [&](double) { options.progress(1.0); };  // never goes back
  for (std::string& line : shade_vertices(frame, shading)) {
    if (options.strict) fail("{}: {} (a warning, which is an error here because `strict` is on)", frame.source, line);
    if (options.warning) options.warning(fmt::format("{}: {}", frame.source, line));
    frame.warnings.push_back(std::move(line));
  }
  return frame;
}

Frame read_any(const std::string& path, const LoadOptions& options) {
  if (path.starts_with(kGenerated)) return generate(std::string_view(path).substr(kGenerated.size()), options);
  const std::string extension = lower_ending(path);
  const std::filesystem::path file(path);
  if (extension == ".bkf") {
    refuse_cameras(path, options);
    return shaded(read_bkf(file, {}, options), options);
  }
  if (extension == ".obj") return read_obj(file, options);
  if (extension == ".gltf" || extension == ".glb") return read_gltf(file, options);
  if (extension == ".ply") return read_ply(file, options);
  if (extension == ".stl") return read_stl(file, options);
  refuse_kind(path);
}

Frame read_bytes(std::span<const std::byte> file, const std::string& name, const LoadOptions& options) {
  const ResourceReader none = [](const std::string& resource, Loading&) -> std::vector<std::byte> {
    throw MissingResource(resource + ": the file is in memory and has no folder; load it by its path");
  };
  const std::string extension = lower_ending(name);
  if (extension == ".bkf") {
    refuse_cameras(name, options);
    return shaded(read_bkf(file, name, {}, options), options);
  }
  if (extension == ".obj") return read_obj(as_text(file), name, none, options);
  if (extension == ".gltf" || extension == ".glb") return read_gltf(file, name, none, options);
  if (extension == ".ply") return read_ply(file, name, none, options);
  if (extension == ".stl") return read_stl(file, name, options);
  refuse_kind(name);
}

}  // namespace

Frame load_frame(const std::string& path, const LoadOptions& options) {
  return typed<FileError>([&] { return read_any(path, options); });
}

Frame load_frame(std::span<const std::byte> file, const std::string& name, const LoadOptions& options) {
  return typed<FileError>([&] { return read_bytes(file, name, options); });
}

void refuse_kind(const std::string& path) {
  if (lower_ending(path) == ".trace")
    fail("{}: is a recording of apitrace; extract a frame with `brokkr import --frame N {}`", path, path);
  fail("{}: the kind of file is unknown; name a .bkf, .obj, .gltf, .glb, .ply or .stl file, or generated:NAME", path);
}

void require_known_kind(const std::string& path) {
  const std::string name = path.starts_with(kGenerated) ? path.substr(0, path.find('?')) : lower_ending(path);
  std::vector<std::string> scenes;
  for (const SceneSource& source : scene_sources()) {
    if (source.name == name) return;
    if (source.name.starts_with(kGenerated)) scenes.push_back(source.name);
  }
  if (!path.starts_with(kGenerated)) refuse_kind(path);
  fail("{}: there is no such scene; use one of {}{}", path, fmt::join(scenes, ", "), did_you_mean(name, scenes));
}

}  // namespace brokkr
