#include "capture/replay.h"

#include <algorithm>
#include <array>
#include <bit>
#include <glm/gtc/type_ptr.hpp>
#include <glm/mat4x4.hpp>
#include <glm/matrix.hpp>
#include <iterator>
#include <optional>

#include "capture/primitives.h"
#include "capture/program.h"
#include "capture/read_back.h"
#include "capture/state_guard.h"
#include "capture/vertex.h"

namespace brokkr::capture {
namespace {

std::optional<uint32_t> restart_index(const Context& context, GLenum index_type) {
  if (context.info.restart_fixed && is_enabled(GL_PRIMITIVE_RESTART_FIXED_INDEX)) {
    return index_type == GL_UNSIGNED_BYTE ? 0xffu : index_type == GL_UNSIGNED_SHORT ? 0xffffu : 0xffffffffu;
  }
  if (context.info.restart && is_enabled(GL_PRIMITIVE_RESTART)) {
    return static_cast<uint32_t>(get_integer(GL_PRIMITIVE_RESTART_INDEX));
  }
  return std::nullopt;
}

// The part's indices as submitted; fewer if the buffer ends earlier.
std::vector<uint32_t> read_indices(const Context& context, const SubDraw& part, GLenum type) {
  const uint64_t bytes = uint64_t(part.count) * index_size(type);
  if (get_name(GL_ELEMENT_ARRAY_BUFFER_BINDING) != 0) {
    const auto offset = reinterpret_cast<uintptr_t>(part.indices);
    return widen_indices(read_buffer(context, GL_ELEMENT_ARRAY_BUFFER, offset, bytes), type);
  }
  if (!part.indices) return {};
  return widen_indices({static_cast<const std::byte*>(part.indices), static_cast<size_t>(bytes)}, type);
}

// How a draw is assembled. `flags`: the draw's.
struct Assembling {
  GLenum mode;
  uint32_t flags;
  bool outlines, flat;
};

// Like assemble(), but splits quads as the driver does.
void assemble_as_driver(Context& context, const Assembling& assembling, const CompactIndices* indices, uint32_t count,
                        Replayed& out) {
  const auto& [mode, flags, draws_outlines, flat] = assembling;
  if (std::optional<Outlines> outlines; draws_outlines && (outlines = assemble_outlines(mode, indices, count))) {
    out.assembly = std::move(outlines->lines);
    out.outlines = std::move(outlines->sizes);
    return;
  }
  if (mode == GL_POLYGON && flat) {
    out.assembly = assemble_flat_polygons(indices, count, (flags & kProvokingFirst) != 0);
    return;
  }
  const bool quads = mode == GL_QUADS || mode == GL_QUAD_STRIP;
  out.assembly =
      assemble(mode, indices, count, quads ? quad_split(context, (flags & kProvokingFirst) != 0) : QuadSplit{});
}

// Draws a part as points. Uses optional functions only if the part needs them.
void draw_points(const DrawCall& call, const SubDraw& part) {
  const auto first = static_cast<GLint>(part.first);
  const auto points = static_cast<GLsizei>(part.count), instances = static_cast<GLsizei>(part.instances);
  const GLint base = part.base_vertex;
  if (!call.indexed()) {
    if (part.base_instance != 0) {
      GL(DrawArraysInstancedBaseInstance)(GL_POINTS, first, points, instances, part.base_instance);
    } else if (call.instanced) {
      GL(DrawArraysInstanced)(GL_POINTS, first, points, instances);
    } else {
      GL(DrawArrays)(GL_POINTS, first, points);
    }
  } else if (part.base_instance != 0) {
    GL(DrawElementsInstancedBaseVertexBaseInstance)
    (GL_POINTS, points, GL_UNSIGNED_INT, part.indices, instances, base, part.base_instance);
  } else if (call.instanced && base != 0) {
    GL(DrawElementsInstancedBaseVertex)(GL_POINTS, points, GL_UNSIGNED_INT, part.indices, instances, base);
  } else if (call.instanced) {
    GL(DrawElementsInstanced)(GL_POINTS, points, GL_UNSIGNED_INT, part.indices, instances);
  } else if (base != 0) {
    GL(DrawElementsBaseVertex)(GL_POINTS, points, GL_UNSIGNED_INT, part.indices, base);
  } else {
    GL(DrawElements)(GL_POINTS, points, GL_UNSIGNED_INT, part.indices);
  }
}

// Draws parts as points in one call. Uses an indirect draw if parts have instances.
void draw_points(const DrawCall& call, const std::vector<SubDraw>& parts) {
  const auto number = static_cast<GLsizei>(parts.size());
  if (call.instanced) {
    // count, instances, first (index), [base vertex,] base instance
    std::vector<uint32_t> words;
    for (const SubDraw& part : parts) {
      words.insert(words.end(), {part.count, part.instances, part.first});
      if (call.indexed()) words.push_back(static_cast<uint32_t>(part.base_vertex));
      words.push_back(part.base_instance);
    }
    Restore restore;
    GLuint buffer = 0;
    GL(GenBuffers)(1, &buffer);
    restore.add([buffer] { GL(DeleteBuffers)(1, &buffer); });
    restore.bind(GL_DRAW_INDIRECT_BUFFER, buffer);
    GL(BufferData)
    (GL_DRAW_INDIRECT_BUFFER, static_cast<GLsizeiptr>(words.size() * sizeof(uint32_t)), words.data(), GL_STREAM_DRAW);
    if (call.indexed()) {
      GL(MultiDrawElementsIndirect)(GL_POINTS, GL_UNSIGNED_INT, nullptr, number, 0);
    } else {
      GL(MultiDrawArraysIndirect)(GL_POINTS, nullptr, number, 0);
    }
    return;
  }
  std::vector<GLsizei> counts;
  std::vector<GLint> firsts, bases;
  std::vector<const void*> indices;
  for (const SubDraw& part : parts) {
    counts.push_back(static_cast<GLsizei>(part.count));
    firsts.push_back(static_cast<GLint>(part.first));
    bases.push_back(part.base_vertex);
    indices.push_back(part.indices);
  }
  if (call.indexed()) {
    GL(MultiDrawElementsBaseVertex)
    (GL_POINTS, counts.data(), GL_UNSIGNED_INT, indices.data(), number, bases.data());
  } else {
    GL(MultiDrawArrays)(GL_POINTS, firsts.data(), counts.data(), number);
  }
}

// Runs the program that copies attributes, where `run` runs a stage as the positions were recorded. `vertices`: how
// many these were. The problem says why there are no attributes.
FeedbackResult copy_attributes(const Context& context, const VertexStage& stage, uint64_t vertices, const auto& run) {
  if (stage.vertex->copier == 0) return {};
  if (context.info.feedback_objects && get_integer(GL_TRANSFORM_FEEDBACK_ACTIVE) != 0)
    return {.problem = "transform feedback of the program's own"};
  Restore restore;
  restore.use_program(stage.vertex->copier);
  VertexStage copier;
  copier.kind = VertexStage::Kind::program;
  copier.recorded = stage.vertex->recorded();
  FeedbackResult result = run(copier);
  if (result.problem.empty() && result.positions.size() != vertices)
    result.problem = "feedback gave another number of vertices";
  return result;
}

// Parts of a draw call.
struct PartRange {
  size_t first = 0, number = 0;
};

// Replays the parts in one run, as points over the vertices that each part uses.
void replay_parts(Context& context, const DrawCall& call, const VertexStage& stage, uint32_t flags, PartRange range,
                  std::vector<Replayed>& out) {
  const size_t first = range.first, number = range.number;
  std::vector<SubDraw> points(call.parts.begin() + ptrdiff_t(first), call.parts.begin() + ptrdiff_t(first + number));
  std::vector<Replayed> parts(number);
  std::vector<uint32_t> vertices;  // vertices that indices refer to, part by part
  uint64_t total = 0;
  for (size_t i = 0; i < number; i++) {
    SubDraw& part = points[i];
    Replayed& result = parts[i];
    if (call.parts.size() > 1) result.part = "." + std::to_string(first + i);
    result.triangles = count_triangles(call.mode, part.count) * part.instances;
    const bool wanted = part.count > 0 && part.instances > 0;
    CompactIndices indices;
    if (call.indexed()) {
      indices = compact_indices(read_indices(context, part, call.index_type), restart_index(context, call.index_type));
      part.count = static_cast<uint32_t>(indices.vertices.size());
      part.first = static_cast<uint32_t>(vertices.size());
      part.indices = reinterpret_cast<const void*>(vertices.size() * sizeof(uint32_t));
      vertices.insert(vertices.end(), indices.vertices.begin(), indices.vertices.end());
      if (wanted && part.count == 0 && !indices.has_restart) result.problem = "indices that cannot be read";
    }
    // Otherwise there is nothing to do: GL_PATCHES without tessellation, or an invalid mode, which is an error in GL.
    if (wanted && part.count > 0) {
      assemble_as_driver(context, {call.mode, flags, stage.draws_outlines, stage.draws_flat},
                         call.indexed() ? &indices : nullptr, part.count, result);
    }
    result.vertices = part.count;
    result.instances = part.instances;
    result.base_vertex = call.indexed() ? part.base_vertex : 0;
    result.base_instance = static_cast<int32_t>(part.base_instance);
    result.draw = static_cast<int32_t>(first + i);
    total += uint64_t(part.count) * part.instances;
  }
  if (std::any_of(parts.begin(), parts.end(), [](const Replayed& part) { return part.assembly.has_value(); })) {
    const auto run_stage = [&](const VertexStage& one) {
      return run_points(context, one, total, call.indexed() ? &vertices : nullptr,
                        [&] { number == 1 ? draw_points(call, points.front()) : draw_points(call, points); });
    };
    const FeedbackResult run = run_stage(stage);
    if (!run.problem.empty()) {
      Replayed& all = out.emplace_back(Replayed{.part = number == 1 ? parts.front().part : "", .problem = run.problem});
      for (const Replayed& part : parts) all.triangles += part.triangles;
      return;
    }
    const FeedbackResult copied = stage.vertex ? copy_attributes(context, stage, total, run_stage) : FeedbackResult{};
    auto begin = run.positions.begin();
    auto varying = run.varyings.begin(), attribute = copied.varyings.begin();
    const ptrdiff_t components = stage.components() - 4;
    const bool has_attributes = !copied.varyings.empty() && copied.problem.empty();
    const ptrdiff_t vertex_components = has_attributes ? stage.vertex->components : 0;
    for (Replayed& part : parts) {
      const auto count = static_cast<ptrdiff_t>(uint64_t(part.vertices) * part.instances);
      part.attribute_problem = copied.problem;
      part.attributes.assign(attribute, attribute + count * vertex_components);
      attribute += count * vertex_components;
      part.positions.assign(begin, begin + count);
      part.varyings.assign(varying, varying + count * components);
      begin += count;
      varying += count * components;
    }
  }
  std::erase_if(parts, [](const Replayed& part) { return !part.assembly && part.problem.empty(); });
  std::move(parts.begin(), parts.end(), std::back_inserter(out));
}

// Replays primitives that GL generates: geometry and tessellation shaders, immediate mode, display lists.
void replay_expanded(Context& context, const DrawCall& call, const VertexStage& stage, uint32_t flags,
                     std::vector<Replayed>& out) {
  const bool as_points = call.submit_as && !stage.expands;
  const GLenum primitive = stage.expands ? stage.primitive : as_points ? GLenum(GL_POINTS) : call.mode;
  const auto run_stage = [&](const VertexStage& one) {
    Restore restore;
    if (stage.vertex_materials) set_materials(restore);
    if (call.changes_state) restore.keep_matrices_and_attributes();
    // Calls that are not allowed between glBegin and glEnd are errors without effect.
    const bool ignores_errors = call.submit_as != nullptr;
    return run_primitives(
        context, one, primitive, [&] { as_points ? call.submit_as(GL_POINTS) : call.submit(); }, ignores_errors);
  };
  FeedbackResult run = run_stage(stage);
  Replayed result{.problem = run.problem, .triangles = call.triangles(), .positions = std::move(run.positions)};
  result.varyings = std::move(run.varyings);
  if (stage.vertex && result.problem.empty()) {
    FeedbackResult copied = copy_attributes(context, stage, result.positions.size(), run_stage);
    result.attribute_problem = std::move(copied.problem);
    result.attributes = std::move(copied.varyings);
    // Between glBegin and glEnd, only attributes change.
    const bool list = call.changes_state && !call.submit_as;
    if (list && result.attribute_problem.empty() && !had_matrices(*stage.vertex, result.attributes))
      result.attribute_problem = "a display list that changes matrices";
  }
  result.vertices = static_cast<uint32_t>(result.positions.size());
  if (result.vertices > 0 && call.faces != GL_NONE && stage.draws_outlines) {
    const size_t each = stage.components() - 4;
    const auto same = [&](uint32_t a, uint32_t b) {
      const auto first = result.varyings.begin();
      return result.positions[a] == result.positions[b] &&
             std::equal(first + ptrdiff_t(a * each), first + ptrdiff_t((a + 1) * each), first + ptrdiff_t(b * each));
    };
    const QuadSplit split = call.faces == GL_QUADS ? quad_split(context, (flags & kProvokingFirst) != 0) : QuadSplit{};
    if (auto outlines = outlines_of_triangles(call.faces, result.vertices, split, same)) {
      result.assembly = std::move(outlines->lines);
      result.outlines = std::move(outlines->sizes);
    } else {
      result.problem = "outlines of faces in a display list";
    }
  } else if (result.vertices > 0) {
    assemble_as_driver(context, {as_points ? call.mode : primitive, flags, stage.draws_outlines, stage.draws_flat},
                       nullptr, result.vertices, result);
  }
  if (result.assembly || !result.problem.empty()) out.push_back(std::move(result));
}

}  // namespace

uint64_t DrawCall::triangles() const {
  uint64_t count = 0;
  for (const SubDraw& part : parts) count += count_triangles(mode, part.count) * part.instances;
  return count;
}

std::vector<Replayed> replay(Context& context, const DrawCall& call, const VertexStage& stage, uint32_t flags) {
  std::vector<Replayed> out;
  if (call.opaque || stage.expands) {
    replay_expanded(context, call, stage, flags, out);
  } else if (!call.indexed() || index_size(call.index_type) != 0) {  // other values are errors in GL
    // gl_DrawID counts the draws of one call, so all must run in one call.
    const size_t together = stage.draw_id ? call.parts.size() : 1;
    for (size_t first = 0; first < call.parts.size(); first += together) {
      replay_parts(context, call, stage, flags, {first, together}, out);
    }
  }
  return out;
}

namespace {

const RecordedVarying* find_recorded(const VertexStage& stage, const char* name) {
  const auto found = std::find_if(stage.recorded.begin(), stage.recorded.end(),
                                  [&](const RecordedVarying& varying) { return varying.name == name; });
  return found == stage.recorded.end() ? nullptr : &*found;
}

glm::vec4 plane_of(GLint number) {
  std::array<GLdouble, 4> values{};
  GL(GetClipPlane)(GL_CLIP_PLANE0 + static_cast<GLenum>(number), values.data());
  return {values[0], values[1], values[2], values[3]};
}

glm::mat4 projection() { return glm::make_mat4(get_floats<16>(GL_PROJECTION_MATRIX).data()); }

std::vector<Interpolation> interpolation_of(const VertexStage& stage, const State& state) {
  std::vector<Interpolation> all(stage.components() - 4, Interpolation::smooth);
  const FragmentProgram* const program = stage.fragment ? &stage.fragment->program
                                         : stage.fixed  ? &stage.fixed->program
                                                        : nullptr;
  for (const RecordedVarying& recorded : stage.recorded) {
    for (size_t i = 0; program != nullptr && i < program->varyings.size(); i++) {
      const ProgramVarying& varying = program->varyings[i];
      if (varying.name == recorded.name) {
        std::fill_n(all.begin() + recorded.offset, recorded.components, varying.interpolation);
      }
    }
    if (state.flat_shading && is_color(recorded.name)) {
      std::fill_n(all.begin() + recorded.offset, recorded.components, Interpolation::flat);
    }
  }
  return all;
}

}  // namespace

ClipPlanes::ClipPlanes(const Context& context, const std::vector<GLint>& enabled, const VertexStage& stage)
    : numbers_(enabled) {
  if (enabled.empty()) return;
  source_ = find_recorded(stage, "gl_ClipDistance");
  are_distances_ = source_ != nullptr;
  if (are_distances_) {
    known_ = std::all_of(enabled.begin(), enabled.end(),
                         [&](GLint number) { return static_cast<uint32_t>(number) < source_->components; });
    return;
  }
  known_ = context.info.compatibility && !stage.clip_distances;
  if (!known_) return;
  source_ = find_recorded(stage, "gl_ClipVertex");
  // Planes are in eye space. Drivers transform them to clip space unless the vertex shader provides distances.
  const glm::mat4 to_clip = glm::transpose(glm::inverse(projection()));
  for (const GLint number : enabled) planes_.push_back(source_ ? plane_of(number) : to_clip * plane_of(number));
}

std::vector<float> ClipPlanes::distances(const Replayed& part, uint32_t components) const {
  std::vector<float> result;
  for (size_t vertex = 0; vertex < part.positions.size(); vertex++) {
    const float* const values =
        source_ != nullptr ? &part.varyings[vertex * components + source_->offset] : &part.positions[vertex].x;
    for (size_t i = 0; i < numbers_.size(); i++) {
      result.push_back(are_distances_ ? values[numbers_[i]]
                                      : planes_[i].x * values[0] + planes_[i].y * values[1] + planes_[i].z * values[2] +
                                            planes_[i].w * values[3]);
    }
  }
  return result;
}

namespace {

// Changes the replayed vertices of a part: `change` gets the draw and its rules.
void change_draw(Replayed& part, const ClipRules& rules, const auto& change) {
  ClippedDraw draw{std::move(*part.assembly), part.vertices, part.instances, std::move(part.positions),
                   std::move(part.varyings)};
  change(draw, rules);
  part.assembly = std::move(draw.assembly);
  part.vertices = draw.vertices;
  part.instances = draw.instances;
  part.positions = std::move(draw.positions);
  part.varyings = std::move(draw.varyings);
}

}  // namespace

void ClipPlanes::clip(Replayed& part, const VertexStage& stage, const State& state, bool provoking_first) const {
  if (!part.assembly) return;
  const std::vector<float> all = distances(part, stage.components() - 4);
  change_draw(part, {interpolation_of(stage, state), provoking_first}, [&](ClippedDraw& draw, const ClipRules& rules) {
    capture::clip(draw, all, static_cast<uint32_t>(numbers_.size()), rules);
  });
}

bool records(const VertexStage& stage, const char* name) { return find_recorded(stage, name) != nullptr; }

bool cull_by_distance(Replayed& part, const VertexStage& stage, const State& state, bool provoking_first) {
  const RecordedVarying* const source = find_recorded(stage, "gl_CullDistance");
  if (source == nullptr) return false;
  if (!part.assembly) return true;
  const uint32_t components = stage.components() - 4;
  std::vector<float> distances;
  for (size_t vertex = 0; vertex < part.positions.size(); vertex++) {
    const auto first = part.varyings.begin() + ptrdiff_t(vertex * components + source->offset);
    distances.insert(distances.end(), first, first + ptrdiff_t(source->components));
  }
  if (part.instances > 1) part.attribute_problem = "cull distances";  // its instances become one
  change_draw(part, {interpolation_of(stage, state), provoking_first},
              [&](ClippedDraw& draw, const ClipRules& rules) { cull(draw, distances, source->components, rules); });
  return true;
}

std::vector<RoutedPart> route_part(Replayed part, const VertexStage& stage, const State& state, bool provoking_first) {
  const RecordedVarying* const layer = find_recorded(stage, "gl_Layer");
  const RecordedVarying* const viewport = find_recorded(stage, "gl_ViewportIndex");
  std::vector<RoutedPart> all;
  if (!part.assembly || (layer == nullptr && viewport == nullptr)) {
    all.push_back({{}, std::move(part)});
    return all;
  }
  const uint32_t components = stage.components() - 4;
  std::vector<Route> routes(part.positions.size());
  for (size_t vertex = 0; vertex < routes.size(); vertex++) {
    const auto number = [&](const RecordedVarying* source) {
      return source ? std::bit_cast<int32_t>(part.varyings[vertex * components + source->offset]) : 0;
    };
    routes[vertex] = {number(layer), number(viewport)};
  }
  if (std::all_of(routes.begin(), routes.end(), [&](const Route& one) { return one == routes.front(); })) {
    all.push_back({routes.empty() ? Route{} : routes.front(), std::move(part)});
    return all;
  }
  ClippedDraw draw{std::move(*part.assembly), part.vertices, part.instances, std::move(part.positions),
                   std::move(part.varyings)};
  size_t piece = 0;
  for (RoutedDraw& one : route(std::move(draw), routes, {interpolation_of(stage, state), provoking_first})) {
    Replayed& out = all.emplace_back(RoutedPart{one.route, {}}).part;
    out.part = part.part + "/" + std::to_string(piece++);
    out.assembly = std::move(one.draw.assembly);
    out.vertices = one.draw.vertices;
    out.positions = std::move(one.draw.positions);
    out.varyings = std::move(one.draw.varyings);
    out.attribute_problem = "several layers or viewports";
  }
  return all;
}

void cut_into_dashes(Replayed& part, const VertexStage& stage, const State& state, bool provoking_first,
                     const LineStipple& stipple) {
  if (!part.assembly) return;
  change_draw(part, {interpolation_of(stage, state), provoking_first},
              [&](ClippedDraw& draw, const ClipRules& rules) { cut_into_dashes(draw, stipple, rules); });
}

}  // namespace brokkr::capture
