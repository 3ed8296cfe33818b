#include "app/input.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "app/pipeline_options.h"
#include "app/resize.h"
#include "app/shader_option.h"
#include "app/stop_signals.h"
#include "base/file_io.h"
#include "brokkr/camera.h"
#include "brokkr/vertex_stage.h"
#include "formats/sources.h"
#include "inspect/game_camera.h"
#include "plan/options.h"
#include "shader/compiled_call.h"

namespace brokkr::app {
namespace {

// A bad camera is an error of the command line, not of the file.
void check_camera(const std::string& text) {
  try {
    parse_camera(text, Camera{});
  } catch (const std::runtime_error& error) {
    throw UsageError(std::string("--camera: ") + error.what());
  }
}

bool holds_scene(const std::filesystem::path& folder) {
  for (const std::filesystem::path& path : paths_in(folder)) {
    for (const SceneSource& source : scene_sources()) {
      if (path.extension() == source.name) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Option> input_options() {
  return {size_option("--size", "Size of the picture in pixels (a captured frame: its own; a scene: 1920x1080)", 1,
                      kMaxTargetSize),
          text_option(
              "--camera", "TEXT",
              "Camera of a scene: \"eye=1,2,3 target=0,0,0 up=0,1,0 fov=60\"; values left out are fitted to the scene. "
              "For a captured frame with vertex programs, the values are relative to the game's camera, which is at "
              "0,0,0 and looks along -z"),
          rare(real_option("--elevation", "DEGREES",
                           "Elevation of a scene's camera above the horizon, seen from its target", -89, 89)),
          file_option("--cameras", "FILE",
                      "Cameras of a scene, one view each: transforms.json (NeRF), or COLMAP's images.txt with "
                      "cameras.txt beside it"),
          integer_option("--views", "Draw a scene from N directions at once, each into its own layer of the target", 1,
                         kMaxTargetLayers),
          rare(integer_option("--view-size", "Pixels per side of each of several views (128)", 1, kMaxTargetSize)),
          rare(real_option("--point-size", "PIXELS", "Width of the points of a cloud (3)", 0.1, 1000)),
          flag("--strict", "Treat every warning about a scene's file as an error")};
}

Option memory_option() {
  for (Option& option : pipeline_options()) {
    if (option.names != std::string("--") + option_info::memory_limit.name) continue;
    option.group.clear();
    return std::move(option);
  }
  throw std::logic_error("no option is called --memory-limit");
}

std::vector<Option> target_options() {
  return {rare(integer_option("--target",
                              "Target to show, by its number in the file (a frame drawn with its programs: its window; "
                              "otherwise the target with the most triangles)",
                              -2147483648.0, 2147483647.0, "ID")),
          rare(integer_option("--layer", "Layer of the target (0)", 0, kMaxTargetLayers - 1))};
}

Command view_command(const std::vector<ViewPart>& parts, std::function<int(const Arguments&)> run) {
  const std::vector<Option> own = {
      several(file_option("FILE", "FILE",
                          "A frame (.bkf), a scene (.obj, .gltf, .glb, .ply, .stl), generated:NAME, or a folder; "
                          "several frames, or a folder of frames, play as a sequence")),
      size_option("--window", "Size of the window (its last size)", 64, kMaxTargetSize),
      real_option("--scale", "F", "Scale of text and widgets (the monitor's)", 0.5, 4),
      flag("--fresh", "Neither read nor write the viewer's saved settings"),
  };
  std::vector<Option> options = joined(joined(joined(own, input_options()), shader_options()), picture_options());
  for (const ViewPart& part : parts) options = joined(std::move(options), part.options);
  return {"view", "Open a window: look at frames and scenes, switch patterns and policies live", std::move(options),
          std::move(run)};
}

LoadOptions load_options(const Arguments& arguments) {
  LoadOptions options;
  std::tie(options.width, options.height) = arguments.size("size");
  options.camera = arguments.text("camera");
  if (arguments.has("elevation")) options.elevation = float(arguments.real("elevation", 0));
  if (arguments.has("cameras")) {
    for (const char* other : {"camera", "views", "elevation"}) {
      if (arguments.has(other)) throw UsageError(fmt::format("--cameras, --{}: give only one of them", other));
    }
    options.cameras = read_cameras(arguments.text("cameras"), [&](const std::string& line) {
      if (arguments.has("strict")) throw std::runtime_error(line + " (a warning, which --strict refuses)");
      warn(line);
    });
  }
  options.views = int(arguments.integer("views", options.views));
  options.view_size = int(arguments.integer("view-size", options.view_size));
  options.memory_limit = int(arguments.integer("memory-limit", options.memory_limit));
  options.point_size = float(arguments.real("point-size", double(options.point_size)));
  options.strict = arguments.has("strict");
  options.warning = warn;
  return options;
}

std::vector<std::string> viewed_files(const std::vector<ViewPart>& parts, const Arguments& arguments) {
  std::vector<std::string> files = arguments.all("FILE");
  for (const ViewPart& part : parts) {
    if (part.name_scenes) part.name_scenes(arguments, files);
  }
  return files;
}

bool has_window(const std::vector<ViewPart>& parts, const Arguments& arguments) {
  return std::all_of(parts.begin(), parts.end(),
                     [&](const ViewPart& part) { return !part.has_window || part.has_window(arguments); });
}

void require_scenes(const std::vector<ViewPart>& parts, const std::vector<std::string>& files) {
  const auto any = [&](std::function<bool(const std::string&)> ViewPart::*is, const std::string& file) {
    return std::any_of(parts.begin(), parts.end(), [&](const ViewPart& part) { return part.*is && (part.*is)(file); });
  };
  for (const std::string& file : files) {
    std::error_code error;
    // NOLINTNEXTLINE(bugprone-branch-clone): a generated scene is no file, so nothing else may be asked about it
    if (file.starts_with("generated:")) {
      require_known_kind(file);
    } else if (std::filesystem::is_directory(file, error)) {
      if (!holds_scene(file)) throw std::runtime_error(file + ": there are no frames or scenes in this folder");
    } else if (any(&ViewPart::is_built_in, file)) {
      continue;
    } else if (access(file.c_str(), R_OK) != 0) {
      throw std::runtime_error(file + ": cannot be opened (" + std::strerror(errno) +
                               "); check the name and its permissions");
    } else if (!any(&ViewPart::is_file, file)) {
      require_known_kind(file);
    }
  }
}

namespace {

bool is_captured(const std::string& file) {
  std::string ending = std::filesystem::path(file).extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return ending == ".bkf";
}

// A captured frame has its own views, and only a scene has several of one size.
void check_views(const std::string& file, const Arguments& arguments) {
  for (const char* const name : {"views", "cameras", "elevation", "view-size"}) {
    if (arguments.has(name) && is_captured(file)) {
      throw UsageError(fmt::format("--{}: {} is a captured frame, which has its own views; leave --{} out", name,
                                   printable(file), name));
    }
  }
  const bool has_views = arguments.has("views") || file.starts_with("generated:views");
  if (arguments.has("view-size") && !has_views)
    throw UsageError("--view-size: is for --views N; give the size of one view with --size");
}

void set_uniforms(Frame& frame, const std::string& file, const UniformValues& uniforms) {
  for (const auto& [name, numbers] : uniforms) {
    try {
      set_uniform(frame, name, numbers);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(printable(file + ": " + error.what()));
    }
  }
}

// The camera is found in the captured values, before the uniforms get others.
void move_camera(Frame& frame, const std::string& file, const std::string& text, const UniformValues& uniforms,
                 const LoadOptions& options) {
  const GameCamera camera = find_game_camera(frame, options);
  if (!camera.is_found()) {
    throw std::runtime_error(file +
                             (frame.vertex_inputs.empty()
                                  ? ": it holds no vertex programs, and so no camera to change; leave out --camera, "
                                    "or capture the frame again"
                                  : ": no matrix of its vertex programs is a perspective view; leave out --camera"));
  }
  if (const std::string limits = camera.limits(); !limits.empty()) {
    const std::string line = printable(file + ": " + limits);
    if (options.strict) throw std::runtime_error(line + " (a warning, which --strict refuses)");
    warn(line);
  }
  set_uniforms(frame, file, uniforms);
  move_game_camera(frame, camera, parse_camera(text, camera.captured()), options);
}

}  // namespace

Frame load_moved(const std::string& file, LoadOptions options, const UniformValues& uniforms) {
  if (!is_captured(file)) {
    if (!uniforms.empty()) throw UsageError("--uniform: needs a shader; name one with --fragment");
    return load_frame(file, options);
  }
  // Its vertex programs hold the camera of a captured frame, which the loader does not move.
  const std::string camera = std::exchange(options.camera, {});
  Frame frame = load_frame(file, options);
  if (!camera.empty()) {
    move_camera(frame, file, camera, uniforms, options);
  } else if (!uniforms.empty()) {
    set_uniforms(frame, file, uniforms);
    shade_vertices(frame, options);
  }
  return frame;
}

void require_file(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw std::runtime_error(printable(file) + ": this is a folder; name a frame or a scene in it");
}

Frame load_input(const std::string& file, const Arguments& arguments, Progress& progress) {
  return load_input(file, arguments, progress, read_shader(arguments));
}

Frame load_input(const std::string& file, const Arguments& arguments, Progress& progress,
                 const std::optional<FragmentShader>& shader) {
  if (arguments.has("camera")) check_camera(arguments.text("camera"));
  require_file(file);
  check_views(file, arguments);
  LoadOptions options = load_options(arguments);
  options.progress = [](double) { StopSignals::check(); };
  progress.show("reading " + file);
  Frame frame = load_moved(file, options, shader ? UniformValues() : uniform_values(arguments));
  if (options.width > 0) {
    const uint32_t target = chosen_target(frame, arguments);
    const Target& shown = frame.targets[target];
    // A scene was built at this size; a captured frame must be scaled to it.
    if (shown.width != options.width || shown.height != options.height)
      resize_frame(frame, target, options.width, options.height);
  }
  if (shader) set_fragment_shader(frame, *shader, options);
  return frame;
}

std::vector<std::string> without_folders(const std::vector<std::string>& files) {
  std::vector<std::string> all;
  for (const std::string& file : files) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(file, ignored)) {
      all.push_back(file);
      continue;
    }
    const size_t before = all.size();
    for (const auto& entry : std::filesystem::directory_iterator(file)) {
      if (entry.is_regular_file(ignored) && is_loadable(entry.path().string())) all.push_back(entry.path().string());
    }
    if (all.size() == before)
      throw std::runtime_error(file + ": this folder holds no frame and no scene; name a file, or another folder");
    std::sort(all.begin() + std::ptrdiff_t(before), all.end());
  }
  return all;
}

std::string line_of_loops(const Statistics& statistics) {
  if (statistics.loops_cut == 0) return {};
  return "a loop of its shader was stopped after " + grouped(shader::kMaxIterations) +
         " iterations, or all loops of a run after " + grouped(shader::kMaxIterationsOfRun) +
         "; the picture lacks what the rest would have drawn";
}

std::string line_of_programs(const Statistics& statistics) {
  const std::vector<std::string>& programs = statistics.false_colors;
  if (programs.empty()) return {};
  const std::string more = programs.size() > 1 ? "; " + counted(programs.size() - 1, "more program") : "";
  return counted(statistics.false_color_draws, "draw") + " in false colours: " + programs[0] + more;
}

int picture_samples(const Frame& frame, Shading shading) {
  const bool shows_surfaces = shading == Shading::program || shading == Shading::material ||
                              shading == Shading::metallic_roughness || shading == Shading::wireframe;
  const auto is_of_a_scene = [](const brokkr::Command& command) {
    const auto* draw = std::get_if<DrawCommand>(&command);
    return draw != nullptr && draw->vertex_kind == VertexKind::transform;
  };
  return shows_surfaces && std::any_of(frame.commands.begin(), frame.commands.end(), is_of_a_scene) ? kSceneSamples : 1;
}

uint32_t picture_target(const Frame& frame) {
  if (frame.programs.empty()) return main_target(frame);
  constexpr int kWindow = 0;  // the window's target number in captured frames
  for (const auto& command : frame.commands) {
    const auto* draw = std::get_if<DrawCommand>(&command);
    const auto* blit = std::get_if<BlitCommand>(&command);
    if (draw == nullptr && blit == nullptr) continue;
    const uint32_t target = draw != nullptr ? frame.views[draw->first_view].target : blit->to;
    if (frame.targets[target].id == kWindow) return target;
  }
  return main_target(frame);
}

uint32_t chosen_target(const Frame& frame, const Arguments& arguments) {
  if (!arguments.has("target"))
    return arguments.text("shading", "program") == "program" ? picture_target(frame) : main_target(frame);
  const int64_t id = arguments.integer("target", 0);
  std::string known;
  for (uint32_t index = 0; index < frame.targets.size(); ++index) {
    if (frame.targets[index].id == id) return index;
    known += (known.empty() ? "" : ", ") + std::to_string(frame.targets[index].id);
  }
  throw UsageError("--target: " + frame.source + " has no target " + std::to_string(id) + "; it has " + known);
}

uint32_t chosen_layer(const Frame& frame, uint32_t target, const Arguments& arguments) {
  const int64_t layer = arguments.integer("layer", 0);
  if (layer < frame.targets[target].layers) return static_cast<uint32_t>(layer);
  throw UsageError("--layer: target " + std::to_string(frame.targets[target].id) + " has layers 0 to " +
                   std::to_string(frame.targets[target].layers - 1) + " only");
}

}  // namespace brokkr::app
