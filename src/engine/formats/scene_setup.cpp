#include "formats/scene_setup.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "base/failure.h"
#include "brokkr/drawing_order.h"

namespace brokkr {
namespace {

struct Size {
  int width, height;
};

Size target_size(const LoadOptions& options) {
  const bool several = options.views > 1;
  Size size{options.width, options.height};
  if (size.width == 0 && !options.cameras.empty() && options.cameras[0].width > 0)
    size = {options.cameras[0].width, options.cameras[0].height};
  if (size.width == 0) size.width = several ? options.view_size : 1920;
  if (size.height == 0) size.height = several ? options.view_size : 1080;
  if (size.width < 1 || size.height < 1 || size.width > kMaxTargetSize || size.height > kMaxTargetSize) {
    fail("scene, field 'size': {} x {} is outside 1..16384 pixels; choose another size", size.width, size.height);
  }
  return size;
}

}  // namespace

float scene_aspect(const LoadOptions& options) {
  const Size size = target_size(options);
  return float(size.width) / float(size.height);
}

void set_up_scene(Frame& frame, const Bounds& bounds, const std::optional<Camera>& preferred,
                  const LoadOptions& options) {
  const Size size = target_size(options);
  const bool posed = !options.cameras.empty();
  const int views = posed ? int(options.cameras.size()) : options.views == 0 ? 1 : options.views;
  if (views < 1 || views > kMaxTargetLayers ||
      uint64_t(size.width) * uint64_t(size.height) * uint64_t(views) > kMaxTargetPixels) {
    fail(
        "scene, field 'views': {} views of {} x {} pixels are above the limits; use at most 65536 views and 2^31 "
        "pixels in all",
        views, size.width, size.height);
  }
  const float aspect = float(size.width) / float(size.height);
  Camera camera = parse_camera(options.camera, preferred ? *preferred : fit_camera(bounds, aspect));
  if (options.elevation) camera = elevated(camera, *options.elevation);
  frame.window_width = size.width;
  frame.window_height = size.height;
  frame.targets = {{.id = 0, .width = size.width, .height = size.height, .layers = views}};
  if (!posed) frame.views = make_orbit(camera, bounds, aspect, 0, uint32_t(views));
  for (const PinholeCamera& pinhole : options.cameras)
    frame.views.push_back(make_view(pinhole, bounds, aspect, 0, uint32_t(frame.views.size())));
  ClearCommand clear;
  clear.color = glm::vec4(0.32f, 0.36f, 0.42f, 1.0f);
  clear.depth = 1.0f;
  clear.stencil = uint8_t(0);
  frame.commands.emplace_back(std::in_place_type<ClearCommand>, clear);
}

State opaque_state(const Frame& frame) {
  State state;
  state.viewport = {0, 0, float(frame.targets[0].width), float(frame.targets[0].height)};
  return state;
}

State blended_state(const Frame& frame) {
  State state = opaque_state(frame);
  const BlendTerm over{BlendFactor::src_alpha, BlendFactor::one_minus_src_alpha, BlendEquation::add};
  const BlendTerm alpha_over{BlendFactor::one, BlendFactor::one_minus_src_alpha, BlendEquation::add};
  state.blend = BlendState{over, alpha_over};
  state.depth.write = false;
  return state;
}

void add_blended(Frame& frame, std::vector<DrawCommand> draws, Loading& loading) {
  constexpr size_t kMaxDraws = size_t(1) << 20;
  const auto views = uint32_t(frame.views.size());
  const bool fits = draws.size() * views <= kMaxDraws;
  if (!fits) loading.warn("transparent surfaces", "transparent surfaces are ordered for the first view alone");
  const bool each = fits && draws.size() > 1;
  const size_t first = frame.commands.size();
  for (uint32_t view = 0; view < (each ? views : 1); view++) {
    for (DrawCommand& draw : draws) {
      loading.step();
      draw.first_view = view;
      draw.view_count = each ? 1 : views;
      if (draws.size() > 1) draw.flags |= kBackToFront;
      frame.commands.emplace_back(std::in_place_type<DrawCommand>, draw);
    }
  }
  std::vector<Command> sorted;
  for (const uint32_t number : drawing_order(frame)) {
    if (number >= first) sorted.push_back(std::move(frame.commands[number]));
  }
  std::ranges::move(sorted, frame.commands.begin() + std::ptrdiff_t(first));
}

Frame named_frame(std::string_view name, const LoadOptions& options, const std::function<Frame(Loading&)>& read) {
  try {
    Loading loading(options);
    loading.at(0.1);
    Frame frame = read(loading);
    loading.at(0.9);
    loading.until(1);
    frame.application = std::filesystem::path(name).stem().string();
    frame.source = name;
    validate(frame, loading);
    frame.warnings = loading.warnings();
    if (options.strict && !frame.warnings.empty())
      fail("{} (a warning, which is an error here because `strict` is on)", frame.warnings[0]);
    for (const std::string& line : frame.warnings) {
      if (options.warning) options.warning(fmt::format("{}: {}", name, line));
    }
    return frame;
  } catch (const LimitReached& error) {
    fail_limit("{}: {}", name, error.what());
  } catch (const std::runtime_error& error) {
    fail("{}: {}", name, error.what());
  }
}

}  // namespace brokkr
