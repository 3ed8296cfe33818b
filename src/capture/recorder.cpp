#include "capture/recorder.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "brokkr/version.h"
#include "capture/render_state.h"
#include "capture/settings.h"

namespace brokkr::capture {
namespace {

bool covers(const std::optional<Rect>& scissor, const TargetInfo& target) {
  return !scissor || (scissor->x <= 0 && scissor->y <= 0 && scissor->x + scissor->width >= target.width &&
                      scissor->y + scissor->height >= target.height);
}

Rect rect_of(const std::array<GLint, 4>& corners) {
  return {corners[0], corners[1], corners[2] - corners[0], corners[3] - corners[1]};
}

// Whether a query or counter of the application is active that a second run of a draw would change.
bool counts_vertices(const Context& context) {
  constexpr std::array kFeedback = {GL_PRIMITIVES_GENERATED, GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN};
  constexpr std::array kStatistics = {
      GL_VERTICES_SUBMITTED_ARB,
      GL_PRIMITIVES_SUBMITTED_ARB,
      GL_VERTEX_SHADER_INVOCATIONS_ARB,
      GL_TESS_CONTROL_SHADER_PATCHES_ARB,
      GL_TESS_EVALUATION_SHADER_INVOCATIONS_ARB,
      GL_GEOMETRY_SHADER_INVOCATIONS,
      GL_GEOMETRY_SHADER_PRIMITIVES_EMITTED_ARB,
      GL_CLIPPING_INPUT_PRIMITIVES_ARB,
      GL_CLIPPING_OUTPUT_PRIMITIVES_ARB,
  };
  const auto is_active = [](GLenum target) {
    GLint query = 0;
    GL(GetQueryiv)(target, GL_CURRENT_QUERY, &query);
    return query != 0;
  };
  return std::any_of(kFeedback.begin(), kFeedback.end(), is_active) ||
         (context.info.pipeline_statistics && std::any_of(kStatistics.begin(), kStatistics.end(), is_active));
}

}  // namespace

Recorder::Recorder(Context& context, const Surface& window, int64_t frame_number)
    : window_(window), targets_(frame_, window) {
  const Settings& wanted = settings();
  frame_.application = wanted.application;
  frame_.license = wanted.license;
  frame_.generator = std::string("brokkr ") + BROKKR_VERSION + " capture, " + context.info.renderer;
  frame_.frame_number = frame_number;
  std::tie(frame_.window_width, frame_.window_height) = surface_size(window);
  frame_.materials.push_back({.name = "captured", .kind = MaterialKind::none});
}

uint32_t Recorder::add_state(const State& state) {
  // Programs return to recent states.
  for (size_t i = frame_.states.size(); i-- > 0;) {
    if (frame_.states[i] == state) return static_cast<uint32_t>(i);
  }
  frame_.states.push_back(state);
  return static_cast<uint32_t>(frame_.states.size() - 1);
}

void Recorder::note_problem(const std::string& what, const std::string& problem) {
  if (!problem.empty()) note(what + ": " + problem);
}

void Recorder::clear(Context& context, const ClearValues& values) {
  if (is_enabled(GL_RASTERIZER_DISCARD)) return;
  const auto [target, problem] = targets_.find(context, GL_DRAW_FRAMEBUFFER);
  if (!target) return note_problem("a clear", problem);
  uint32_t flags = 0;
  if (!has_drawing_condition(context, flags)) return;
  const TargetInfo& info = targets_[*target];
  const ClearMasks masks = read_clear_masks();
  ClearCommand command{.target = *target};
  if (!covers(masks.scissor, info)) command.scissor = masks.scissor;
  if (values.color && info.images.plane(Plane::color) && masks.color && draw_buffer(context) != GL_NONE) {
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
  if (!command.color && !command.depth && !command.stencil) return;
  if (command.depth) targets_.end_depth(context, *target, !command.scissor);
  targets_.use(context, *target, {command.color.has_value(), command.depth.has_value(), command.stencil.has_value()},
               command.scissor.has_value());
  frame_.commands.emplace_back(command);
}

void Recorder::blit(Context& context, const std::array<GLint, 4>& source, const std::array<GLint, 4>& destination,
                    GLbitfield mask) {
  const auto [from, read_problem] = targets_.find(context, GL_READ_FRAMEBUFFER);
  if (from && targets_[*from].images.is_window() && !targets_[*from].is_main_window) return;
  const auto [to, draw_problem] = targets_.find(context, GL_DRAW_FRAMEBUFFER);
  if (!from || !to) return note_problem("a blit", to ? read_problem : draw_problem);
  const TargetImages &read = targets_[*from].images, &drawn = targets_[*to].images;
  const auto copies = [&](GLbitfield bit, Plane plane) {
    return (mask & bit) != 0 && read.plane(plane) && drawn.plane(plane);
  };
  const Targets::Planes planes = {copies(GL_COLOR_BUFFER_BIT, Plane::color), copies(GL_DEPTH_BUFFER_BIT, Plane::depth),
                                  copies(GL_STENCIL_BUFFER_BIT, Plane::stencil)};
  if (planes == Targets::Planes{}) return;
  BlitCommand command{*from, *to, rect_of(source), rect_of(destination), planes[0], planes[1], planes[2]};
  const ClearMasks masks = read_clear_masks();
  if (!covers(masks.scissor, targets_[*to])) {
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
  targets_.use(context, *from, planes);
  targets_.use(context, *to, planes);
  frame_.commands.emplace_back(command);
  targets_.mark_drawn(*to, planes);
}

bool Recorder::has_drawing_condition(Context& context, uint32_t& flags) {
  if (context.conditional_mode == GL_NONE) return true;
  GLuint passed = 0;
  GL(GetQueryObjectuiv)(context.conditional_query, GL_QUERY_RESULT, &passed);
  switch (context.conditional_mode) {
    case GL_QUERY_WAIT:
    case GL_QUERY_BY_REGION_WAIT: return passed != 0;
    case GL_QUERY_WAIT_INVERTED:
    case GL_QUERY_BY_REGION_WAIT_INVERTED: return passed == 0;
    default: flags |= kCondition; return true;  // without waiting, drawing is the driver's decision
  }
}

void Recorder::skip(const std::string& reason, uint64_t triangles) {
  count_skip(reason, triangles, "#" + std::to_string(draws_++));
}

void Recorder::count_skip(const std::string& reason, uint64_t triangles, const std::string& label) {
  frame_.skipped_draws++;
  frame_.skipped_triangles += triangles;
  note(reason);
  report_skipped(frame_.frame_number, label, reason, frame_.skipped_draws);
}

void Recorder::add_draw(DrawCommand draw, const Replayed& part) {
  draw.label = "#" + std::to_string(draws_) + part.part;
  draw.first_vertex = frame_.positions.size();
  draw.first_index = frame_.indices.size();
  if (part.problem.empty()) {
    const Assembly& assembly = *part.assembly;
    draw.topology = assembly.topology;
    draw.indexed = assembly.indexed;
    draw.restart = assembly.restart;
    draw.instances = part.instances;
    draw.vertex_count = part.vertices;
    draw.element_count = assembly.indexed ? static_cast<uint32_t>(assembly.indices.size()) : part.vertices;
    frame_.positions.insert(frame_.positions.end(), part.positions.begin(), part.positions.end());
    frame_.indices.insert(frame_.indices.end(), assembly.indices.begin(), assembly.indices.end());
  } else {
    // A draw without vertices keeps its place and says why.
    count_skip(part.problem, part.triangles, draw.label);
    draw.label += ": not recorded, " + part.problem;
  }
  frame_.commands.emplace_back(std::move(draw));
}

void Recorder::draw(Context& context, const DrawCall& call) {
  const auto is_empty = [](const SubDraw& part) { return part.count == 0 || part.instances == 0; };
  if (!call.opaque && std::all_of(call.parts.begin(), call.parts.end(), is_empty)) return;
  if (context.info.es) return skip("an OpenGL ES context", call.triangles());
  if (!context.info.feedback) return skip("a driver without transform feedback", call.triangles());
  if (is_enabled(GL_RASTERIZER_DISCARD)) return;  // draws nothing
  DrawCommand draw;
  if (!has_drawing_condition(context, draw.flags)) return;
  const bool is_selection = context.info.compatibility && get_integer(GL_RENDER_MODE) != GL_RENDER;
  if (is_selection) return;  // picking and glFeedbackBuffer draw nothing
  const auto [target, problem] = targets_.find(context, GL_DRAW_FRAMEBUFFER);
  if (!target) {
    if (!problem.empty()) skip(problem, call.triangles());
    return;
  }
  const TargetImages images = targets_[*target].images;
  const RenderState render =
      read_render_state(context, images.plane(Plane::depth).has_value(), images.plane(Plane::stencil).has_value());
  for (const std::string& what : render.notes) note(what);
  const State& state = render.state;
  if (state.viewport.z < 1 || state.viewport.w < 1) return;  // nothing can be covered
  const VertexStage stage = current_vertex_stage(context);
  draw.flags |= render.flags | stage.flags;
  const auto is_layered = [](const std::optional<Image>& image) { return image && image->layered; };
  if (std::any_of(images.planes.begin(), images.planes.end(), is_layered)) {
    note("draws to several layers, written to the first");
  }
  const bool draws_color = std::any_of(state.color_mask.begin(), state.color_mask.end(), [](bool on) { return on; });
  targets_.use(context, *target, {draws_color, state.depth.test, state.stencil.has_value()});
  targets_.mark_drawn(*target, {draws_color, state.depth.write, state.stencil.has_value()});
  draw.first_view = *target;  // views and targets are made together
  draw.state = add_state(state);
  const bool possible = stage.kind != VertexStage::Kind::impossible;
  if (!possible || counts_vertices(context)) {
    const char* const counting = "a query of the program counts primitives or vertices, and would count a second run";
    add_draw(draw, {.problem = possible ? counting : stage.reason, .triangles = call.triangles()});
  } else {
    for (const Replayed& part : replay(context, call, stage, draw.flags)) add_draw(draw, part);
  }
  draws_++;
}

Frame Recorder::finish(Context& context) {
  targets_.finish(context);
  if (frame_.targets.empty()) {  // nothing at all was drawn, and there is no window
    frame_.targets.push_back({.id = 0, .width = 1, .height = 1});
    frame_.views.push_back({.target = 0});
  }
  return std::move(frame_);
}

}  // namespace brokkr::capture
