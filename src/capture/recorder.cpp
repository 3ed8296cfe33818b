#include "capture/recorder.h"

#include <algorithm>
#include <cmath>

#include "capture/read_back.h"
#include "capture/report.h"
#include "capture/settings.h"

namespace brokkr::capture {
namespace {

constexpr std::array<Plane, kPlanes> kAllPlanes = {Plane::color, Plane::depth, Plane::stencil};
const char* plane_name(Plane plane) {
  constexpr const char* kNames[] = {"colour", "depth", "stencil"};
  return kNames[static_cast<size_t>(plane)];
}

bool covers(const std::optional<Rect>& scissor, const TargetInfo& target) {
  return !scissor || (scissor->x <= 0 && scissor->y <= 0 && scissor->x + scissor->width >= target.width &&
                      scissor->y + scissor->height >= target.height);
}

Rect rect_of(const std::array<GLint, 4>& corners) {
  return {corners[0], corners[1], corners[2] - corners[0], corners[3] - corners[1]};
}

}  // namespace

Recorder::Recorder(Context& context, const Surface& window, int64_t frame_number) : window_(window), targets_(window) {
  const Settings& wanted = settings();
  frame_.application = wanted.application;
  frame_.license = wanted.license;
  frame_.generator = std::string("brokkr ") + BROKKR_VERSION + " capture, " + context.info.renderer;
  frame_.frame_number = frame_number;
  std::tie(frame_.window_width, frame_.window_height) = surface_size(window);
  frame_.materials.push_back({.name = "captured", .kind = MaterialKind::none});
}

// Targets enter the frame when a command first names them; the file calls the window 0.
size_t Recorder::frame_target(size_t target) {
  while (frame_targets_.size() <= target) {
    const TargetInfo& info = targets_.all()[frame_targets_.size()];
    Target added;
    added.id = info.is_main_window ? 0 : static_cast<int>(frame_targets_.size()) + 1;
    added.width = info.width;
    added.height = info.height;
    const bool is_first = std::none_of(frame_.targets.begin(), frame_.targets.end(),
                                       [&](const Target& known) { return known.id == added.id; });
    if (!is_first) added.id = static_cast<int>(frame_targets_.size()) + 1;  // the window after a change of size
    frame_targets_.push_back(static_cast<uint32_t>(frame_.targets.size()));
    frame_.targets.push_back(added);
    frame_.views.push_back({.target = frame_targets_.back()});
  }
  return frame_targets_[target];
}

std::optional<size_t> Recorder::find_target(Context& context, GLenum binding, std::string& problem, bool& is_error) {
  const Targets::Found found = targets_.find(context, binding);
  problem = found.problem;
  is_error = found.is_error;
  if (found.target) frame_target(*found.target);
  return found.target;
}

bool Recorder::load_earlier_content(Context& context, size_t target, Plane plane) {
  const TargetInfo& info = targets_.all()[target];
  ClearCommand clear{.target = frame_targets_[target]};
  bool uniform = true;
  if (plane == Plane::depth) {
    const std::vector<float> depth = read_depth(context, info);
    if (depth.empty()) return false;
    uniform = std::all_of(depth.begin(), depth.end(), [&](float value) { return value == depth.front(); });
    clear.depth = std::clamp(depth.front(), 0.0f, 1.0f);
  } else if (plane == Plane::stencil) {
    const std::vector<uint8_t> stencil = read_stencil(context, info);
    if (stencil.empty()) return false;
    uniform = std::all_of(stencil.begin(), stencil.end(), [&](uint8_t value) { return value == stencil.front(); });
    clear.stencil = stencil.front();
  } else {
    return true;  // colours of captured draws are the viewer's anyway
  }
  if (!uniform) note(std::string(plane_name(plane)) + " of an earlier frame, which the file does not hold");
  if (uniform) frame_.commands.emplace_back(clear);
  return uniform;
}

void Recorder::use(Context& context, size_t target, std::array<bool, kPlanes> planes, bool needs_content) {
  std::map<size_t, std::array<bool, kPlanes>> moves;
  for (Plane plane : kAllPlanes) {
    const std::optional<Image>& image = targets_.all()[target].images.plane(plane);
    if (!planes[static_cast<size_t>(plane)] || !image) continue;
    const auto [found, is_new] = contents_.emplace(std::pair(*image, plane), Content{target});
    if (is_new && needs_content) found->second.unknown = !load_earlier_content(context, target, plane);
    if (found->second.target != target) {
      if (needs_content) moves[found->second.target][static_cast<size_t>(plane)] = true;
      found->second.target = target;
    }
  }
  for (const auto& [from, moved] : moves) {
    const TargetInfo &a = targets_.all()[from], &b = targets_.all()[target];
    const Rect rect{0, 0, std::min(a.width, b.width), std::min(a.height, b.height)};
    frame_.commands.emplace_back(
        BlitCommand{frame_targets_[from], frame_targets_[target], rect, rect, moved[0], moved[1], moved[2]});
  }
}

void Recorder::mark_drawn(size_t target, Plane plane) {
  const std::optional<Image>& image = targets_.all()[target].images.plane(plane);
  if (!image) return;
  const auto found = contents_.find({*image, plane});
  if (found != contents_.end()) found->second.drawn = true;
}

void Recorder::add_reference(Context& context, size_t target, bool with_depth) {
  const TargetInfo& info = targets_.all()[target];
  Reference reference;
  reference.target = frame_targets_[target];
  reference.before = static_cast<uint32_t>(frame_.commands.size());
  reference.color_jpeg = read_picture(context, info);
  if (with_depth) reference.depth = read_depth(context, info);
  if (!reference.depth.empty()) {
    reference.depth_width = info.width;
    reference.depth_height = info.height;
  } else if (with_depth) {
    note("depth that the driver does not give for comparison");
  }
  if (!reference.depth.empty() || !reference.color_jpeg.empty()) frame_.references.push_back(std::move(reference));
}

uint32_t Recorder::add_state(const State& state) {
  // Programs return to recent states.
  for (size_t i = frame_.states.size(); i-- > 0;) {
    if (frame_.states[i] == state) return static_cast<uint32_t>(i);
  }
  frame_.states.push_back(state);
  return static_cast<uint32_t>(frame_.states.size() - 1);
}

void Recorder::clear(Context& context, const ClearValues& values) {
  if (is_enabled(GL_RASTERIZER_DISCARD)) return;
  std::string problem;
  bool is_error = false;
  const std::optional<size_t> target = find_target(context, GL_DRAW_FRAMEBUFFER, problem, is_error);
  if (!target) {
    if (!is_error) note("a clear: " + problem);
    return;
  }
  uint32_t flags = 0;
  if (!has_drawing_condition(context, flags)) return;
  const TargetInfo& info = targets_.all()[*target];
  const ClearMasks masks = read_clear_masks();
  ClearCommand command{.target = frame_targets_[*target]};
  if (!covers(masks.scissor, info)) command.scissor = masks.scissor;
  const bool drawn =
      get_integer(context.info.draw_buffers ? GLenum(GL_DRAW_BUFFER0) : GLenum(GL_DRAW_BUFFER)) != GL_NONE;
  if (values.color && info.images.plane(Plane::color) && masks.color && drawn) {
    command.color = *values.color;
    for (int i = 0; i < 4; i++) {
      if (!std::isfinite((*command.color)[i])) (*command.color)[i] = 0;
    }
  }
  if (values.color && masks.partial_color) note("a clear of some colour channels only");
  if (values.depth && info.images.plane(Plane::depth) && masks.depth) {
    command.depth = std::isfinite(*values.depth) ? std::clamp(*values.depth, 0.0f, 1.0f) : 1.0f;
  }
  if (values.stencil && info.images.plane(Plane::stencil)) {
    if (masks.stencil) command.stencil = static_cast<uint8_t>(*values.stencil & 0xff);
    if (masks.partial_stencil) note("a clear of some stencil bits only");
  }
  const std::array<bool, kPlanes> planes = {command.color.has_value(), command.depth.has_value(),
                                            command.stencil.has_value()};
  if (!planes[0] && !planes[1] && !planes[2]) return;
  if (command.depth) {
    // The depth that this ends would be lost for comparison.
    const auto found = contents_.find({*info.images.plane(Plane::depth), Plane::depth});
    if (found != contents_.end() && found->second.drawn) {
      add_reference(context, found->second.target, !found->second.unknown);
      if (!command.scissor) found->second.drawn = found->second.unknown = false;
    }
  }
  use(context, *target, planes, command.scissor.has_value());
  frame_.commands.emplace_back(command);
}

void Recorder::blit(Context& context, const std::array<GLint, 4>& source, const std::array<GLint, 4>& destination,
                    GLbitfield mask) {
  std::string problem;
  bool is_error = false;
  const std::optional<size_t> from = find_target(context, GL_READ_FRAMEBUFFER, problem, is_error);
  if (from && targets_.all()[*from].images.is_window() && !targets_.all()[*from].is_main_window) return;
  const std::optional<size_t> to = find_target(context, GL_DRAW_FRAMEBUFFER, problem, is_error);
  if (!from || !to) {
    if (!is_error) note("a blit: " + problem);
    return;
  }
  BlitCommand command{frame_targets_[*from],
                      frame_targets_[*to],
                      rect_of(source),
                      rect_of(destination),
                      (mask & GL_COLOR_BUFFER_BIT) != 0,
                      (mask & GL_DEPTH_BUFFER_BIT) != 0,
                      (mask & GL_STENCIL_BUFFER_BIT) != 0};
  const auto has = [&](Plane plane) {
    return targets_.all()[*from].images.plane(plane) && targets_.all()[*to].images.plane(plane);
  };
  command.color = command.color && has(Plane::color);
  command.depth = command.depth && has(Plane::depth);
  command.stencil = command.stencil && has(Plane::stencil);
  const std::array<bool, kPlanes> planes = {command.color, command.depth, command.stencil};
  if (!planes[0] && !planes[1] && !planes[2]) return;
  const ClearMasks masks = read_clear_masks();
  if (!covers(masks.scissor, targets_.all()[*to])) {
    const Rect& box = *masks.scissor;
    const bool plain = command.source.width == command.destination.width &&
                       command.source.height == command.destination.height && command.source.width >= 0 &&
                       command.source.height >= 0;
    if (!plain) {
      note("a scaled blit under a scissor, written without the scissor");
    } else {
      Rect& to_rect = command.destination;
      const int left = std::max(to_rect.x, box.x), bottom = std::max(to_rect.y, box.y);
      const int right = std::min(to_rect.x + to_rect.width, box.x + box.width);
      const int top = std::min(to_rect.y + to_rect.height, box.y + box.height);
      if (left >= right || bottom >= top) return;
      command.source = {command.source.x + left - to_rect.x, command.source.y + bottom - to_rect.y, right - left,
                        top - bottom};
      to_rect = {left, bottom, right - left, top - bottom};
    }
  }
  constexpr int kLimit = 2 * kMaxTargetSize;
  for (const Rect* rect : {&command.source, &command.destination}) {
    for (int value : {rect->x, rect->y, rect->width, rect->height}) {
      if (std::abs(value) > kLimit) {
        note("a blit far outside its framebuffer");
        return;
      }
    }
  }
  use(context, *from, planes);
  use(context, *to, planes);
  frame_.commands.emplace_back(command);
  for (Plane plane : kAllPlanes) {
    if (planes[static_cast<size_t>(plane)]) mark_drawn(*to, plane);
  }
}

// The current surface, even where the frame draws nothing to it.
std::optional<size_t> Recorder::window_target(Context& context) {
  std::array<GLuint, 2> bound{};
  if (context.info.framebuffers) {
    bound = {get_name(GL_DRAW_FRAMEBUFFER_BINDING), get_name(GL_READ_FRAMEBUFFER_BINDING)};
    GL(BindFramebuffer)(GL_DRAW_FRAMEBUFFER, 0);
  }
  std::string problem;
  bool is_error = false;
  const std::optional<size_t> window = find_target(context, GL_DRAW_FRAMEBUFFER, problem, is_error);
  if (context.info.framebuffers) {
    GL(BindFramebuffer)(GL_DRAW_FRAMEBUFFER, bound[0]);
    GL(BindFramebuffer)(GL_READ_FRAMEBUFFER, bound[1]);
  }
  return window;
}

void Recorder::add_window_reference(Context& context, size_t target) {
  const std::optional<Image>& depth = targets_.all()[target].images.plane(Plane::depth);
  const auto content = depth ? contents_.find({*depth, Plane::depth}) : contents_.end();
  add_reference(context, target, content != contents_.end() && !content->second.unknown);
  if (content != contents_.end()) content->second.drawn = false;
}

void Recorder::end_window(Context& context) {
  if (const std::optional<size_t> window = window_target(context)) add_window_reference(context, *window);
}

Frame Recorder::finish(Context& context) {
  const std::optional<size_t> window = window_target(context);
  for (const auto& [key, content] : contents_) {
    if (key.second == Plane::depth && content.drawn && !content.unknown && content.target != window) {
      add_reference(context, content.target, true);
    }
  }
  if (window) add_window_reference(context, *window);
  if (frame_.targets.empty()) {  // nothing at all was drawn, and there is no window
    frame_.targets.push_back({.id = 0, .width = 1, .height = 1});
    frame_.views.push_back({.target = 0});
  }
  return std::move(frame_);
}

}  // namespace brokkr::capture
