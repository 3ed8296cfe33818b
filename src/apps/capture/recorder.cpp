#include "capture/recorder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "brokkr/version.h"
#include "capture/desktop.h"
#include "capture/pixels.h"
#include "capture/render_state.h"
#include "capture/replay.h"
#include "capture/settings.h"
#include "frame/bkf_fields.h"

namespace brokkr::capture {
namespace {

Rect rect_of(const std::array<GLint, 4>& corners) {
  return {corners[0], corners[1], corners[2] - corners[0], corners[3] - corners[1]};
}

// Returns true if a query or counter of the application is active that a second run of a draw would change.
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

// The state of back faces, if it differs from that of front faces.
std::optional<State> state_of_back(const RenderState& render) {
  if (!render.back_stencil && !render.back_mode) return std::nullopt;
  State back = render.state;
  if (render.back_stencil) back.stencil = render.back_stencil;
  if (render.back_mode) {
    back.polygon_mode = *render.back_mode;
    back.polygon_offset = render.back_offset;
  }
  back.cull = CullMode::front;
  return back;
}

}  // namespace

Recorder::Recorder(Context& context, const Surface& window, int64_t frame_number)
    : window_(window),
      targets_(frame_, window),
      textures_(frame_, targets_, settings().texture_limit),
      shading_(frame_, textures_) {
  if (context.info.es) make_desktop_context(context);
  const Settings& wanted = settings();
  frame_.application = wanted.application;
  frame_.license = wanted.license;
  frame_.generator = std::string("brokkr ") + BROKKR_VERSION + " capture, " + context.info.renderer;
  // Record this setting: with it, Mesa's software driver filters textures more exactly, which readers of the pictures
  // need to know.
  if (const char* exact = std::getenv("GALLIVM_PERF")) {
    if (context.info.renderer.find("llvmpipe") != std::string::npos) frame_.generator += std::string(", ") + exact;
  }
  frame_.frame_number = frame_number;
  std::tie(frame_.window_width, frame_.window_height) = surface_size(window);
  frame_.materials.push_back({.name = "captured", .kind = MaterialKind::none});
}

void Recorder::take_window(const Surface& window) {
  window_ = window;
  targets_.take_window(window);
  std::tie(frame_.window_width, frame_.window_height) = surface_size(window);
}

void Recorder::note_problem(const std::string& what, const std::string& problem) {
  if (!problem.empty()) note(what + ": " + problem);
}

void Recorder::blit(Context& context, const std::array<GLint, 4>& source, const std::array<GLint, 4>& destination,
                    GLbitfield mask, GLenum filter) {
  const auto [read_target, read_problem, read_layers] = targets_.find(context, GL_READ_FRAMEBUFFER);
  if (read_target && targets_[*read_target].images.is_window() && !targets_[*read_target].is_main_window) return;
  const auto [draw_target, draw_problem, drawn_layers] = targets_.find(context, GL_DRAW_FRAMEBUFFER);
  if (!read_target || !draw_target) return note_problem("a blit", draw_target ? read_problem : draw_problem);
  const TargetImages &read = targets_[*read_target].images, &drawn = targets_[*draw_target].images;
  const auto copies = [&](GLbitfield bit, Plane plane) {
    return (mask & bit) != 0 && read.plane(plane) && drawn.plane(plane);
  };
  const Targets::Planes planes = {copies(GL_COLOR_BUFFER_BIT, Plane::color), copies(GL_DEPTH_BUFFER_BIT, Plane::depth),
                                  copies(GL_STENCIL_BUFFER_BIT, Plane::stencil)};
  if (planes == Targets::Planes{}) return;
  BlitCommand command{*read_target, *draw_target, rect_of(source), rect_of(destination),
                      planes[0],    planes[1],    planes[2]};
  const ClearMasks masks = read_clear_masks(context);
  const bool cuts = !covers(masks.scissor, targets_[*draw_target]);
  const bool plain = command.source.width == command.destination.width &&
                     command.source.height == command.destination.height && command.source.width >= 0 &&
                     command.source.height >= 0;
  const bool is_scaled = std::abs(command.source.width) != std::abs(command.destination.width) ||
                         std::abs(command.source.height) != std::abs(command.destination.height);
  const bool is_linear = filter == GL_LINEAR && is_scaled;
  if (command.color && ((cuts && !plain) || is_linear)) {
    if (blit_as_draw(context, command, is_linear, cuts ? masks.scissor : std::nullopt)) {
      command.color = false;
      if (!command.depth && !command.stencil) return;
    } else if (is_linear) {
      note("a scaled blit with a linear filter, written with the nearest pixels");
    }
  }
  if (cuts) {
    const Rect& box = *masks.scissor;
    if (!plain) {
      note("a scaled blit under a scissor, written without the scissor");
    } else {
      Rect& drawn_rect = command.destination;
      const int left = std::max(drawn_rect.x, box.x), bottom = std::max(drawn_rect.y, box.y);
      const int right = std::min(drawn_rect.x + drawn_rect.width, box.x + box.width);
      const int top = std::min(drawn_rect.y + drawn_rect.height, box.y + box.height);
      if (left >= right || bottom >= top) return;
      command.source = {command.source.x + left - drawn_rect.x, command.source.y + bottom - drawn_rect.y, right - left,
                        top - bottom};
      drawn_rect = {left, bottom, right - left, top - bottom};
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
  targets_.use(context, *read_target, planes);
  targets_.use(context, *draw_target, planes);
  if (command.color && context.info.framebuffer_srgb)
    srgb_targets_.note_blit(frame_.commands.size(), encodes_srgb(context.info));
  frame_.commands.emplace_back(command);
  targets_.mark_drawn(*draw_target, planes);
}

bool Recorder::blit_as_draw(Context& context, const BlitCommand& blit, bool linear,
                            const std::optional<Rect>& scissor) {
  const Target &source = frame_.targets[blit.from], &destination = frame_.targets[blit.to];
  const Rect &s = blit.source, &d = blit.destination;
  if (!settings().programs || source.colors.empty() || source.samples > 1 || blit.from == blit.to || d.width == 0 ||
      d.height == 0 || type_of(source.colors[0].format) != SampledType::real)
    return false;
  constexpr int kLimit = 2 * kMaxTargetSize;
  for (const Rect* rect : {&s, &d}) {
    for (int value : {rect->x, rect->y, rect->width, rect->height}) {
      if (std::abs(value) > kLimit) return false;
    }
  }
  Rect box{std::max(std::min(d.x, d.x + d.width), 0), std::max(std::min(d.y, d.y + d.height), 0)};
  int right = std::min(std::max(d.x, d.x + d.width), destination.width),
      top = std::min(std::max(d.y, d.y + d.height), destination.height);
  if (scissor) {
    box.x = std::max(box.x, scissor->x);
    box.y = std::max(box.y, scissor->y);
    right = std::min(right, scissor->x + scissor->width);
    top = std::min(top, scissor->y + scissor->height);
  }
  box.width = right - box.x;
  box.height = top - box.y;
  if (box.width < 1 || box.height < 1) return true;  // draws nothing
  const bool encodes = encodes_srgb(context.info);
  State state;
  state.viewport = {0, 0, destination.width, destination.height};
  state.scissor = box;
  state.depth = {.test = false, .write = false};
  state.framebuffer_srgb = encodes;
  FragmentProgram program;
  program.version = 130;
  program.texts = {R"(#version 130
uniform sampler2D brokkr_source;
uniform vec4 brokkr_place;
out vec4 brokkr_color;
void main() { brokkr_color = texture(brokkr_source, gl_FragCoord.xy * brokkr_place.xy + brokkr_place.zw); }
)"};
  program.uniforms = {{.name = "brokkr_place", .type = ShaderType::vec4}};
  program.samplers = {{.name = "brokkr_source"}};
  program.outputs = {{.name = "brokkr_color"}};
  const double x = double(s.width) / d.width, y = double(s.height) / d.height;
  const std::array<double, 4> place = {x / source.width, y / source.height, (s.x - d.x * x) / source.width,
                                       (s.y - d.y * y) / source.height};
  std::vector<uint32_t> words;
  for (const double value : place) words.push_back(std::bit_cast<uint32_t>(float(value)));
  CapturedSampler sampler{.magnify_linear = linear, .minify_linear = linear, .mip = MipFilter::none};
  sampler.wrap.fill(TextureWrap::clamp_to_edge);
  sampler.srgb_decode = encodes;
  ShadingInputs inputs = shading_.made(program, words);
  const Targets::Planes color = {true};
  targets_.use(context, blit.from, color);
  targets_.use(context, blit.to, color);
  targets_.mark_drawn(blit.to, color);
  inputs.draw.textures = {textures_.of_target(source, blit.from, source.colors[0], sampler)};
  note(std::string(bkf::kExpandedReason) + "a scaled blit");
  draw_over(blit.to, state, &inputs);
  return true;
}

void Recorder::images_stored(const Context& context) {
  if (context.info.version < (context.info.es ? 31 : 42)) return;
  const GLint units = get_integer(GL_MAX_IMAGE_UNITS);
  for (GLint i = 0; i < units; i++) {
    GLint texture = 0, access = 0;
    GL(GetIntegeri_v)(GL_IMAGE_BINDING_NAME, static_cast<GLuint>(i), &texture);
    if (texture == 0) continue;
    GL(GetIntegeri_v)(GL_IMAGE_BINDING_ACCESS, static_cast<GLuint>(i), &access);
    if (access != GL_READ_ONLY) texture_written(context, static_cast<GLuint>(texture));
  }
}

void Recorder::copy(Context& context, const TextureLevel& level, const Rect& source, int x, int y, bool needs_content) {
  const GLuint name = bound_texture(level.target);
  if (!settings().programs) return;
  textures_.written(context, name);
  if (name == 0) return;  // a default texture; draws store its current state
  const auto [read_target, read_problem, read_layers] = targets_.find(context, GL_READ_FRAMEBUFFER);
  const auto [target, problem, layers] = targets_.find_texture(context, name, level.target, level.level);
  if (!read_target || !target) return note_problem("a copy to a texture", read_target ? problem : read_problem);
  const bool is_depth = targets_[*target].images.plane(Plane::depth).has_value();
  const Plane plane = is_depth ? Plane::depth : Plane::color;
  if (!targets_[*read_target].images.plane(plane)) return;
  if (std::max({std::abs(source.x), std::abs(source.y), std::abs(x), std::abs(y)}) > kMaxTargetSize) {
    return note("a copy far outside its framebuffer");
  }
  const Targets::Planes planes = {!is_depth, is_depth, false};
  targets_.use(context, *read_target, planes);
  targets_.use(context, *target, planes, needs_content);
  frame_.commands.emplace_back(CopyCommand{*read_target, *target, file_plane(plane), file_plane(plane), source, x, y});
  targets_.mark_drawn(*target, planes);
}

void Recorder::generate_mips(Context& context, GLenum target) {
  if (!settings().programs) return;
  if (const auto texture = textures_.generate(context, target)) {
    frame_.commands.emplace_back(GenerateMipsCommand{*texture});
  }
}

bool Recorder::has_drawing_condition(const Context& context) {
  if (context.conditional_mode == GL_NONE) return true;
  // The result is known from now on, so that a driver that would not wait for it decides in the same way.
  GLuint passed = 0;
  GL(GetQueryObjectuiv)(context.conditional_query, GL_QUERY_RESULT, &passed);
  const bool inverted = context.conditional_mode >= GL_QUERY_WAIT_INVERTED &&
                        context.conditional_mode <= GL_QUERY_BY_REGION_NO_WAIT_INVERTED;
  return (passed != 0) != inverted;
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

void Recorder::add_draw(DrawCommand draw, const Replayed& part, const ShadingInputs* inputs) {
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
    if (inputs != nullptr) {
      draw.inputs = static_cast<int32_t>(frame_.inputs.size());
      frame_.inputs.push_back(inputs->draw);
      frame_.inputs.back().first_varying = frame_.varyings.size();
      const size_t each = part.positions.empty() ? 0 : part.varyings.size() / part.positions.size();
      for (size_t vertex = 0; vertex < part.positions.size(); vertex++) {
        for (const VaryingColumn& column : inputs->columns) {
          const bool written = column.index != kUnwritten;
          frame_.varyings.push_back(written ? part.varyings[vertex * each + column.index] : column.value);
        }
      }
    }
  } else {
    // A draw without vertices stays in the frame and states the reason.
    count_skip(part.problem, part.triangles, draw.label);
    draw.label += ": not recorded, " + part.problem;
  }
  frame_.commands.emplace_back(std::move(draw));
}

void Recorder::add_vertices(DrawCommand& draw, const Replayed& part, const VertexStage& stage,
                            const VertexInputs* vertex) {
  if (!settings().programs || !part.problem.empty() || part.vertices == 0) return;
  std::string problem = vertex == nullptr ? stage.expanded : part.attribute_problem;
  if (problem.empty()) {
    VertexInputs inputs = *vertex;
    inputs.attributes = shading_.read_attributes(stage, part.attributes, part.vertices, part.instances);
    inputs.base_vertex = part.base_vertex;
    inputs.base_instance = part.base_instance;
    inputs.draw = part.draw;
    if (inputs.attributes.size() == stage.vertex->attributes.size()) {
      draw.vertices = static_cast<int32_t>(frame_.vertex_inputs.size());
      frame_.vertex_inputs.push_back(std::move(inputs));
      return;
    }
    problem = "an attribute that differs by vertex and by instance";
  }
  note(std::string(bkf::kExpandedReason) + problem);
}

// Repeats the last draw with another state.
void Recorder::repeat_draw(uint32_t state) {
  auto draw = std::get<DrawCommand>(frame_.commands.back());
  draw.state = state;
  draw.label += ", back faces";
  if (draw.inputs >= 0) {
    frame_.inputs.push_back(frame_.inputs[size_t(draw.inputs)]);
    draw.inputs = static_cast<int32_t>(frame_.inputs.size() - 1);
  }
  frame_.commands.emplace_back(std::move(draw));
}

void Recorder::note_outputs(const VertexStage& stage, uint32_t layers) {
  const auto lacks = [&](bool writes, const char* name) { return writes && !records(stage, name); };
  if (lacks(stage.viewport_index, "gl_ViewportIndex")) note("draws to several viewports, written to the first");
  if (lacks(stage.cull_distances, "gl_CullDistance")) note("draws with gl_CullDistance, written without it");
  if (layers > 1 && lacks(stage.layer, "gl_Layer")) note("draws to several layers, written to the first");
}

void Recorder::note_smoothing(const Context& context, GLenum primitive) {
  const bool old = context.info.compatibility;
  if (primitive == GL_LINES && !settings().programs && is_enabled(GL_LINE_SMOOTH))
    note("smooth lines, written without their smoothing");
  if (primitive == GL_POINTS && old && is_enabled(GL_POINT_SMOOTH)) note("smooth points, written as squares");
}

std::optional<StipplePattern> Recorder::stipple_of(const Context& context, const RenderState& render) {
  if (context.info.compatibility && render.back_mode && is_enabled(GL_POLYGON_STIPPLE))
    note("stippled triangles whose back faces are drawn otherwise, written as whole ones");
  return read_stipple(context, render);
}

void Recorder::note_outlines(const Context& context, const DrawCall& call, const RenderState& render,
                             const VertexStage& stage) {
  const bool has_faces = !stage.expands && feedback_primitive(call.mode) == GL_TRIANGLES;
  const bool as_lines = render.state.polygon_mode == PolygonMode::line || render.back_mode == PolygonMode::line;
  if (!has_faces || !as_lines) return;
  if (context.info.compatibility && (is_enabled(GL_EDGE_FLAG_ARRAY) || get_integer(GL_EDGE_FLAG) == 0))
    note("outlines with edge flags, written with all edges");
  const bool has_inner_edges =
      call.mode == GL_QUADS || call.mode == GL_QUAD_STRIP || call.mode == GL_POLYGON || call.faces != GL_NONE;
  if (has_inner_edges && !stage.draws_outlines)
    note("outlines of quads and polygons, written with the edges of their triangles");
}

std::optional<Recorder::Drawing> Recorder::route_to(const Context& context, const Drawing& drawing,
                                                    const Route& route) {
  Drawing routed = drawing;
  const uint32_t layer = std::min(static_cast<uint32_t>(route.layer), drawing.layers - 1);
  if (layer > 0) {
    const std::optional<uint32_t> target = targets_.find(context, GL_DRAW_FRAMEBUFFER, layer).target;
    if (!target) return std::nullopt;
    targets_.use(context, *target, drawing.used);
    targets_.mark_drawn(*target, drawing.written);
    routed.draw.first_view = *target;
  }
  if (route.viewport > 0 && route.viewport < get_integer(GL_MAX_VIEWPORTS)) {
    const auto number = static_cast<uint32_t>(route.viewport);
    const auto moved = [&](uint32_t known) {
      State state = frame_.states[known];
      read_viewport_of(number, state);
      return states_.number_of(state, frame_.states);
    };
    routed.draw.state = moved(drawing.draw.state);
    if (drawing.back_state) routed.back_state = moved(*drawing.back_state);
  }
  return routed;
}

// Draws once more, and records what each part of the draw emits.
void Recorder::replay_draw(Context& context, const DrawCall& call, const RenderState& render, VertexStage& stage,
                           const Drawing& drawing) {
  DrawCommand draw = drawing.draw;
  const std::optional<ShadingInputs> inputs = shading_.read(context, stage);
  const ClipPlanes clip_planes(context, render.clip_planes, stage);
  const FragmentProgram* const program = inputs ? &frame_.programs[inputs->draw.program] : nullptr;
  stage.draws_flat = is_flat(render.state, program);
  const bool has_faces = !stage.expands && feedback_primitive(call.mode) == GL_TRIANGLES;
  const bool in_list = call.opaque && !call.submit_as && call.faces == GL_NONE;
  stage.draws_outlines =
      has_faces && !in_list && !stage.cull_distances && may_draw_outlines(call, render, stage, program);
  note_outlines(context, call, render, stage);
  const bool clips = !render.clip_planes.empty() && clip_planes.known() &&
                     (render.state.polygon_mode == PolygonMode::fill || stage.draws_outlines) && !render.back_mode;
  if (!render.clip_planes.empty() && !clips) draw.flags |= kClipDistance;
  const bool whole_quads = may_draw_whole_quads(context, call, render, draw.flags, program);
  if (!render.clip_planes.empty()) {
    stage.vertex = nullptr;
    stage.expanded = "clip planes";
  }
  const GLenum primitive = stage.expands ? stage.primitive : feedback_primitive(call.mode);
  const std::optional<LineStipple> stipple = read_line_stipple(context, render);
  if (stipple && primitive == GL_LINES) {
    stage.vertex = nullptr;
    stage.expanded = "stippled lines";
  }
  if (stipple && primitive == GL_TRIANGLES &&
      (render.state.polygon_mode == PolygonMode::line || render.back_mode == PolygonMode::line))
    note("stippled outlines of triangles, written as whole ones");
  std::optional<VertexInputs> vertex;
  if (stage.vertex) vertex = shading_.read_vertex(context, stage);
  const bool provoking_first = (draw.flags & kProvokingFirst) != 0;
  for (Replayed& part : replay(context, call, stage, draw.flags)) {
    if (whole_quads) divide_whole_quads(part, draw.flags);
    if (stage.cull_distances) cull_by_distance(part, stage, render.state, provoking_first);
    if (primitive == GL_POINTS && !context.info.es && !reads(program, "gl_PrimitiveID")) drop_points_outside(part);
    if (!part.outlines.empty()) cull_outlines(part, render.state, draw.flags);
    if (clips) clip_planes.clip(part, stage, render.state, provoking_first);
    if (stipple && primitive == GL_LINES) cut_into_dashes(part, stage, render.state, provoking_first, *stipple);
    for (const RoutedPart& one : route_part(std::move(part), stage, render.state, provoking_first)) {
      std::optional<Drawing> routed = route_to(context, drawing, one.route);
      if (!routed) continue;
      routed->draw.flags = draw.flags;
      add_vertices(routed->draw, one.part, stage, vertex ? &*vertex : nullptr);
      add_draw(routed->draw, one.part, inputs ? &*inputs : nullptr);
      const bool is_of_faces = one.part.assembly && one.part.assembly->topology <= Topology::triangle_fan;
      if (routed->back_state && is_of_faces && one.part.problem.empty()) repeat_draw(*routed->back_state);
    }
  }
  if (stage.fragment && !stage.fragment->problem.empty()) images_stored(context);
}

void Recorder::draw(Context& context, const DrawCall& call) {
  const auto is_empty = [](const SubDraw& part) { return part.count == 0 || part.instances == 0; };
  if (!call.opaque && std::all_of(call.parts.begin(), call.parts.end(), is_empty)) return;
  if (context.info.es && context.info.version < 32)
    return skip("an OpenGL ES context before 3.2, which has too few queries", call.triangles());
  if (context.info.es && !make_desktop_context(context))
    return skip("an OpenGL ES context that shares no objects with one of OpenGL", call.triangles());
  if (!context.info.feedback) return skip("a driver without transform feedback", call.triangles());
  if (is_enabled(GL_RASTERIZER_DISCARD)) return;  // draws nothing
  if (!has_drawing_condition(context)) return;
  Drawing drawing;
  DrawCommand& draw = drawing.draw;
  // Picking and glFeedbackBuffer draw nothing.
  if (context.info.compatibility && get_integer(GL_RENDER_MODE) != GL_RENDER) return;
  const auto [target, problem, layers] = targets_.find(context, GL_DRAW_FRAMEBUFFER);
  if (!target) {
    if (!problem.empty()) skip(problem, call.triangles());
    return;
  }
  const TargetImages images = targets_[*target].images;
  RenderState render =
      read_render_state(context, images.plane(Plane::depth).has_value(), images.plane(Plane::stencil).has_value());
  State& state = render.state;
  VertexStage stage = current_vertex_stage(context, call.opaque);
  const bool is_empty_place = state.viewport.z < 1 || state.viewport.w < 1;  // no pixel can be covered
  if (is_empty_place && !stage.viewport_index) return;
  if (stage.kind == VertexStage::Kind::impossible && stage.reason.empty()) return;
  const GLenum primitive = stage.expands ? stage.primitive : feedback_primitive(call.mode);
  note_smoothing(context, primitive);
  note_outputs(stage, layers);
  if (primitive == GL_TRIANGLES) stage.stipple = stipple_of(context, render);
  if (stage.stipple) draw.flags |= kFragmentDiscard;
  // In targets of several samples, llvmpipe's points have the coordinates of a place half a pixel away. Windows lie
  // upside down in it. GLSL 1.00 has no derivatives.
  if (primitive == GL_POINTS && is_llvmpipe(context) && is_multisampling(context.info) && stage.fragment &&
      stage.fragment->program.version != 100)
    stage.moves_point_coord = images.is_window() ? -1 : 1;
  draw.flags |= render.flags | stage.flags;
  const bool draws_color = std::any_of(state.color_mask.begin(), state.color_mask.end(), [](bool on) { return on; });
  Targets::Planes& planes = drawing.used;
  planes = {draws_color, state.depth.test, state.stencil.has_value()};
  for (size_t i = 1; i < kMaxColorPlanes; i++) {
    const Plane plane = color_plane(i);
    if (!images.plane(plane)) continue;
    if (state.buffers.empty()) state.buffers.push_back({draws_color ? 0 : -1, state.blend, state.color_mask});
    state.buffers.resize(i, {.plane = -1});
    state.buffers.push_back(read_draw_buffer(context, i, render));
    planes[static_cast<size_t>(plane)] = true;
  }
  for (const std::string& what : render.notes) note(what);
  targets_.use(context, *target, planes);
  drawing.written = planes;
  drawing.written[static_cast<size_t>(Plane::depth)] = state.depth.write;
  targets_.mark_drawn(*target, drawing.written);
  drawing.layers = layers;
  draw.first_view = *target;  // each target has a view of the same number
  if (const std::optional<State> back = state_of_back(render)) {
    drawing.back_state = states_.number_of(*back, frame_.states);
    state.cull = CullMode::back;
  }
  draw.state = states_.number_of(state, frame_.states);
  const bool possible = stage.kind != VertexStage::Kind::impossible;
  if (!possible || counts_vertices(context)) {
    const char* const counting = "a query of the program counts primitives or vertices, and would count a second run";
    add_draw(draw, {.problem = possible ? counting : stage.reason, .triangles = call.triangles()});
  } else {
    replay_draw(context, call, render, stage, drawing);
  }
  draws_++;
}

Frame Recorder::finish(Context& context) {
  const auto is_window = [&](uint32_t target) { return targets_[target].images.is_window(); };
  if (const size_t blits = srgb_targets_.settle(frame_, is_window); blits > 0)
    frame_.skipped_reasons["a blit that keeps codes between a target of sRGB and another, written as one of colours"] +=
        blits;
  targets_.finish(context);
  if (frame_.targets.empty()) {  // nothing was drawn, and the window is unknown
    frame_.targets.push_back({.id = 0, .width = 1, .height = 1});
    frame_.views.push_back({.target = 0});
  }
  return std::move(frame_);
}

}  // namespace brokkr::capture
