#include "capture/recorder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "brokkr/version.h"
#include "capture/feedback.h"
#include "capture/read_back.h"
#include "capture/settings.h"
#include "capture/state_guard.h"

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

uint64_t triangles_of(const DrawCall& call) {
  uint64_t count = 0;
  for (const SubDraw& part : call.parts) count += count_triangles(call.mode, part.count) * part.instances;
  return count;
}

std::optional<uint32_t> restart_index(const Context& context, GLenum index_type) {
  if (context.info.restart_fixed && is_enabled(GL_PRIMITIVE_RESTART_FIXED_INDEX)) {
    return index_type == GL_UNSIGNED_BYTE ? 0xffu : index_type == GL_UNSIGNED_SHORT ? 0xffffu : 0xffffffffu;
  }
  if (context.info.restart && is_enabled(GL_PRIMITIVE_RESTART)) {
    return static_cast<uint32_t>(get_integer(GL_PRIMITIVE_RESTART_INDEX));
  }
  return std::nullopt;
}

// The part's indices as submitted; fewer where the buffer ends early.
std::vector<uint32_t> read_indices(const Context& context, const SubDraw& part, GLenum type) {
  const uint64_t bytes = uint64_t(part.count) * index_size(type);
  if (get_name(GL_ELEMENT_ARRAY_BUFFER_BINDING) != 0) {
    const auto offset = reinterpret_cast<uintptr_t>(part.indices);
    return widen_indices(read_buffer(context, GL_ELEMENT_ARRAY_BUFFER, offset, bytes), type);
  }
  if (!part.indices) return {};
  return widen_indices({static_cast<const std::byte*>(part.indices), static_cast<size_t>(bytes)}, type);
}

// Whether a query or counter of the application is active that a second run of a draw would change.
bool counts_vertices(const Context& context) {
  constexpr std::array<GLenum, 2> kFeedback = {GL_PRIMITIVES_GENERATED, GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN};
  constexpr std::array<GLenum, 9> kStatistics = {
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

// assemble() with quads divided as the driver divides them. `flags`: of the draw.
std::optional<Assembly> assemble_as_driver(Context& context, GLenum mode, const CompactIndices* indices, uint32_t count,
                                           uint32_t flags) {
  const bool quads = mode == GL_QUADS || mode == GL_QUAD_STRIP;
  return assemble(mode, indices, count, quads ? quad_split(context, (flags & kProvokingFirst) != 0) : QuadSplit{});
}

// A part as points; `indices`: offset of its vertex numbers in the bound element array.
void draw_points(const DrawCall& call, const SubDraw& part, uint32_t count, uintptr_t indices) {
  const auto first = static_cast<GLint>(part.first);
  const auto points = static_cast<GLsizei>(count), instances = static_cast<GLsizei>(part.instances);
  const auto* offset = reinterpret_cast<const void*>(indices);
  const bool indexed = call.index_type != GL_NONE;
  if (!call.instanced && part.base_instance == 0) {
    if (!indexed) {
      GL(DrawArrays)(GL_POINTS, first, points);
    } else if (part.base_vertex == 0) {
      GL(DrawElements)(GL_POINTS, points, GL_UNSIGNED_INT, offset);
    } else {
      GL(DrawElementsBaseVertex)(GL_POINTS, points, GL_UNSIGNED_INT, offset, part.base_vertex);
    }
  } else if (!indexed) {
    if (part.base_instance == 0) {
      GL(DrawArraysInstanced)(GL_POINTS, first, points, instances);
    } else {
      GL(DrawArraysInstancedBaseInstance)(GL_POINTS, first, points, instances, part.base_instance);
    }
  } else if (part.base_instance != 0) {
    GL(DrawElementsInstancedBaseVertexBaseInstance)
    (GL_POINTS, points, GL_UNSIGNED_INT, offset, instances, part.base_vertex, part.base_instance);
  } else if (part.base_vertex != 0) {
    GL(DrawElementsInstancedBaseVertex)(GL_POINTS, points, GL_UNSIGNED_INT, offset, instances, part.base_vertex);
  } else {
    GL(DrawElementsInstanced)(GL_POINTS, points, GL_UNSIGNED_INT, offset, instances);
  }
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
void Recorder::add_targets(size_t target) {
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
}

Targets::Found Recorder::find_target(Context& context, GLenum binding) {
  const Targets::Found found = targets_.find(context, binding);
  if (found.target) add_targets(*found.target);
  return found;
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
  const auto [target, problem] = find_target(context, GL_DRAW_FRAMEBUFFER);
  if (!target) return note_problem("a clear", problem);
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
  const auto [from, read_problem] = find_target(context, GL_READ_FRAMEBUFFER);
  if (from && targets_.all()[*from].images.is_window() && !targets_.all()[*from].is_main_window) return;
  const auto [to, draw_problem] = find_target(context, GL_DRAW_FRAMEBUFFER);
  if (!from || !to) return note_problem("a blit", to ? read_problem : draw_problem);
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

void Recorder::note_problem(const std::string& what, const std::string& problem) {
  if (!problem.empty()) note(what + ": " + problem);
}

void Recorder::skip(const std::string& reason, uint64_t triangles) {
  count_skip(reason, triangles, "#" + std::to_string(draws_++), std::nullopt);
}

void Recorder::count_skip(const std::string& reason, uint64_t triangles, const std::string& label,
                          const std::optional<Prepared>& prepared) {
  frame_.skipped_draws++;
  frame_.skipped_triangles += triangles;
  note(reason);
  report_skipped(frame_.frame_number, label, reason, frame_.skipped_draws);
  if (!prepared) return;
  // A draw without vertices keeps its place and says why.
  Assembly nothing;
  add_draw(*prepared, nothing, {}, 0, 1, label + ": not recorded, " + reason);
}

void Recorder::add_draw(const Prepared& prepared, const Assembly& assembly, const std::vector<glm::vec4>& positions,
                        uint32_t vertices, uint32_t instances, const std::string& label) {
  DrawCommand draw;
  draw.first_view = frame_targets_[prepared.target];  // views and targets are made together
  draw.state = prepared.state;
  draw.topology = assembly.topology;
  draw.indexed = assembly.indexed;
  draw.restart = assembly.restart;
  draw.flags = prepared.flags;
  draw.instances = instances;
  draw.first_vertex = frame_.positions.size();
  draw.vertex_count = vertices;
  draw.first_index = frame_.indices.size();
  draw.element_count = assembly.indexed ? static_cast<uint32_t>(assembly.indices.size()) : vertices;
  draw.label = label;
  frame_.positions.insert(frame_.positions.end(), positions.begin(), positions.end());
  frame_.indices.insert(frame_.indices.end(), assembly.indices.begin(), assembly.indices.end());
  frame_.commands.emplace_back(std::move(draw));
}

void Recorder::draw(Context& context, const DrawCall& call) {
  if (!call.opaque && std::all_of(call.parts.begin(), call.parts.end(),
                                  [](const SubDraw& part) { return part.count == 0 || part.instances == 0; })) {
    return;
  }
  if (context.info.es) return skip("an OpenGL ES context", triangles_of(call));
  if (!context.info.feedback) return skip("a driver without transform feedback", triangles_of(call));
  if (is_enabled(GL_RASTERIZER_DISCARD)) return;  // draws nothing
  Prepared prepared;
  if (!has_drawing_condition(context, prepared.flags)) return;
  const bool is_selection = context.info.compatibility && get_integer(GL_RENDER_MODE) != GL_RENDER;
  if (is_selection) return;  // picking and glFeedbackBuffer draw nothing
  const auto [target, problem] = find_target(context, GL_DRAW_FRAMEBUFFER);
  if (!target) {
    if (!problem.empty()) skip(problem, triangles_of(call));
    return;
  }
  prepared.target = *target;
  const TargetInfo& info = targets_.all()[*target];
  const bool has_stencil = info.images.plane(Plane::stencil).has_value();
  const RenderState render = read_render_state(context, info.images.plane(Plane::depth).has_value(), has_stencil);
  for (const std::string& what : render.notes) note(what);
  const State& state = render.state;
  if (state.viewport.z < 1 || state.viewport.w < 1) return;  // nothing can be covered
  const VertexStage stage = current_vertex_stage(context);
  prepared.flags |= render.flags | stage.flags;
  for (const std::optional<Image>& image : info.images.planes) {
    if (image && image->layered) {
      note("draws to several layers, written to the first");
      break;
    }
  }
  const bool draws_color = std::any_of(state.color_mask.begin(), state.color_mask.end(), [](bool on) { return on; });
  use(context, *target, {draws_color, state.depth.test, state.stencil.has_value()});
  prepared.state = add_state(state);
  if (draws_color) mark_drawn(*target, Plane::color);
  if (state.depth.write) mark_drawn(*target, Plane::depth);
  if (state.stencil) mark_drawn(*target, Plane::stencil);
  const bool possible = stage.kind != VertexStage::Kind::impossible;
  if (!possible || counts_vertices(context)) {
    const char* const counting = "a query of the program counts primitives or vertices, and would count a second run";
    count_skip(possible ? counting : stage.reason, triangles_of(call), "#" + std::to_string(draws_++), prepared);
  } else if (call.opaque || stage.expands) {
    draw_expanded(context, call, stage, prepared);
    draws_++;
  } else if (stage.draw_id && call.parts.size() > 1) {
    draw_with_ids(context, call, stage, prepared);
    draws_++;
  } else {
    for (size_t part = 0; part < call.parts.size(); part++) draw_part(context, call, stage, prepared, part);
    draws_++;
  }
}

void Recorder::draw_part(Context& context, const DrawCall& call, const VertexStage& stage, const Prepared& prepared,
                         size_t number) {
  const SubDraw& part = call.parts[number];
  if (part.count == 0 || part.instances == 0) return;
  std::string label = "#" + std::to_string(draws_);
  if (call.parts.size() > 1) label += "." + std::to_string(number);
  const uint64_t triangles = count_triangles(call.mode, part.count) * part.instances;
  const bool indexed = call.index_type != GL_NONE;
  CompactIndices indices;
  uint32_t vertices = part.count;
  if (indexed) {
    if (index_size(call.index_type) == 0) return;  // an error in GL
    indices = compact_indices(read_indices(context, part, call.index_type), restart_index(context, call.index_type));
    vertices = static_cast<uint32_t>(indices.vertices.size());
    if (vertices == 0) {
      if (!indices.has_restart) count_skip("indices that cannot be read", triangles, label, prepared);
      return;
    }
  }
  const std::optional<Assembly> assembly =
      assemble_as_driver(context, call.mode, indexed ? &indices : nullptr, vertices, prepared.flags);
  if (!assembly) return;  // GL_PATCHES without tessellation, or no mode at all: an error in GL
  if (uint64_t(vertices) * part.instances > std::numeric_limits<uint32_t>::max()) {
    return count_skip("more vertices than a draw of the file holds", triangles, label, prepared);
  }
  Feedback feedback(context, stage);
  if (indexed) feedback.set_indices(indices.vertices);
  const FeedbackResult result =
      feedback.run_points(uint64_t(vertices) * part.instances, [&] { draw_points(call, part, vertices, 0); });
  if (!result.problem.empty()) return count_skip(result.problem, triangles, label, prepared);
  add_draw(prepared, *assembly, result.positions, vertices, part.instances, label);
}

// gl_DrawID counts the draws of one call, so that all must run in one: as multi-draws of points over the vertices that
// each part uses, indirect where parts have instances.
void Recorder::draw_with_ids(Context& context, const DrawCall& call, const VertexStage& stage,
                             const Prepared& prepared) {
  const bool indexed = call.index_type != GL_NONE;
  std::vector<CompactIndices> compact(call.parts.size());
  std::vector<uint32_t> all, counts(call.parts.size());
  std::vector<uint32_t> firsts(call.parts.size());
  uint64_t total = 0;
  for (size_t i = 0; i < call.parts.size(); i++) {
    const SubDraw& part = call.parts[i];
    counts[i] = part.count;
    firsts[i] = part.first;
    if (indexed) {
      compact[i] =
          compact_indices(read_indices(context, part, call.index_type), restart_index(context, call.index_type));
      counts[i] = static_cast<uint32_t>(compact[i].vertices.size());
      firsts[i] = static_cast<uint32_t>(all.size());
      all.insert(all.end(), compact[i].vertices.begin(), compact[i].vertices.end());
    }
    total += uint64_t(counts[i]) * part.instances;
  }
  Feedback feedback(context, stage);
  if (indexed) feedback.set_indices(all);
  const auto number = static_cast<GLsizei>(call.parts.size());
  const FeedbackResult result = feedback.run_points(total, [&] {
    if (call.instanced) {
      // count, instances, first (index), [base vertex,] base instance
      std::vector<uint32_t> words;
      for (size_t i = 0; i < call.parts.size(); i++) {
        const SubDraw& part = call.parts[i];
        words.insert(words.end(), {counts[i], part.instances, firsts[i]});
        if (indexed) words.push_back(static_cast<uint32_t>(part.base_vertex));
        words.push_back(part.base_instance);
      }
      const IndirectBuffer buffer(words);
      if (indexed) {
        GL(MultiDrawElementsIndirect)(GL_POINTS, GL_UNSIGNED_INT, nullptr, number, 0);
      } else {
        GL(MultiDrawArraysIndirect)(GL_POINTS, nullptr, number, 0);
      }
      return;
    }
    std::vector<GLsizei> sizes(counts.begin(), counts.end());
    std::vector<GLint> starts(firsts.begin(), firsts.end()), bases;
    std::vector<const void*> offsets;
    for (size_t i = 0; i < call.parts.size(); i++) {
      bases.push_back(call.parts[i].base_vertex);
      offsets.push_back(reinterpret_cast<const void*>(uintptr_t(firsts[i]) * sizeof(uint32_t)));
    }
    if (indexed) {
      GL(MultiDrawElementsBaseVertex)(GL_POINTS, sizes.data(), GL_UNSIGNED_INT, offsets.data(), number, bases.data());
    } else {
      GL(MultiDrawArrays)(GL_POINTS, starts.data(), sizes.data(), number);
    }
  });
  const std::string name = "#" + std::to_string(draws_);
  if (!result.problem.empty()) return count_skip(result.problem, triangles_of(call), name, prepared);
  auto begin = result.positions.begin();
  for (size_t i = 0; i < call.parts.size(); i++) {
    const SubDraw& part = call.parts[i];
    const auto end = begin + static_cast<ptrdiff_t>(uint64_t(counts[i]) * part.instances);
    const std::optional<Assembly> assembly =
        assemble_as_driver(context, call.mode, indexed ? &compact[i] : nullptr, counts[i], prepared.flags);
    if (assembly && begin != end) {
      add_draw(prepared, *assembly, {begin, end}, counts[i], part.instances, name + "." + std::to_string(i));
    }
    begin = end;
  }
}

// Primitives that GL makes: geometry and tessellation shaders, immediate mode, display lists.
void Recorder::draw_expanded(Context& context, const DrawCall& call, const VertexStage& stage,
                             const Prepared& prepared) {
  const std::string label = "#" + std::to_string(draws_);
  const bool as_points = call.submit_as && !stage.expands;
  const GLenum primitive = stage.expands ? stage.primitive : as_points ? GLenum(GL_POINTS) : call.mode;
  FeedbackResult result;
  {
    const StateGuard guard(context, call.changes_state);
    result = Feedback(context, stage).run_primitives(primitive, [&] {
      if (as_points) {
        call.submit_as(GL_POINTS);
      } else {
        call.submit();
      }
    });
  }
  if (!result.problem.empty()) return count_skip(result.problem, triangles_of(call), label, prepared);
  if (result.positions.empty()) return;
  if (result.positions.size() > std::numeric_limits<uint32_t>::max()) {
    return count_skip("more vertices than a draw of the file holds", triangles_of(call), label, prepared);
  }
  const auto vertices = static_cast<uint32_t>(result.positions.size());
  const GLenum mode = as_points ? call.mode : primitive;
  const std::optional<Assembly> assembly = assemble_as_driver(context, mode, nullptr, vertices, prepared.flags);
  if (assembly) add_draw(prepared, *assembly, result.positions, vertices, 1, label);
}

// The current surface, even where the frame draws nothing to it.
std::optional<size_t> Recorder::window_target(Context& context) {
  std::array<GLuint, 2> bound{};
  if (context.info.framebuffers) {
    bound = {get_name(GL_DRAW_FRAMEBUFFER_BINDING), get_name(GL_READ_FRAMEBUFFER_BINDING)};
    GL(BindFramebuffer)(GL_DRAW_FRAMEBUFFER, 0);
  }
  const std::optional<size_t> window = find_target(context, GL_DRAW_FRAMEBUFFER).target;
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
