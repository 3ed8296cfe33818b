// Draws of a frame that is recorded.
#include <algorithm>
#include <array>
#include <limits>

#include "capture/feedback.h"
#include "capture/read_back.h"
#include "capture/recorder.h"
#include "capture/report.h"
#include "capture/state_guard.h"

namespace brokkr::capture {
namespace {

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

void Recorder::skip(Context& context, const std::string& reason, uint64_t triangles) {
  static_cast<void>(context);
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
  if (context.info.es) return skip(context, "an OpenGL ES context", triangles_of(call));
  if (!context.info.feedback) return skip(context, "a driver without transform feedback", triangles_of(call));
  if (is_enabled(GL_RASTERIZER_DISCARD)) return;  // draws nothing
  Prepared prepared;
  if (!has_drawing_condition(context, prepared.flags)) return;
  const bool is_selection = context.info.compatibility && get_integer(GL_RENDER_MODE) != GL_RENDER;
  if (is_selection) return;  // picking and glFeedbackBuffer draw nothing
  std::string problem;
  bool is_error = false;
  const std::optional<size_t> target = find_target(context, GL_DRAW_FRAMEBUFFER, problem, is_error);
  if (!target) {
    if (!is_error) skip(context, problem, triangles_of(call));
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
  const bool first = (prepared.flags & kProvokingFirst) != 0;
  const bool quads = call.mode == GL_QUADS || call.mode == GL_QUAD_STRIP;
  const std::optional<Assembly> assembly =
      assemble(call.mode, indexed ? &indices : nullptr, vertices, quads ? quad_split(context, first) : QuadSplit{});
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
  const bool first = (prepared.flags & kProvokingFirst) != 0;
  for (size_t i = 0; i < call.parts.size(); i++) {
    const SubDraw& part = call.parts[i];
    const auto end = begin + static_cast<ptrdiff_t>(uint64_t(counts[i]) * part.instances);
    const std::optional<Assembly> assembly =
        assemble(call.mode, indexed ? &compact[i] : nullptr, counts[i], quad_split(context, first));
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
  const bool quads = mode == GL_QUADS || mode == GL_QUAD_STRIP;
  const bool first = (prepared.flags & kProvokingFirst) != 0;
  const std::optional<Assembly> assembly =
      assemble(mode, nullptr, vertices, quads ? quad_split(context, first) : QuadSplit{});
  if (assembly) add_draw(prepared, *assembly, result.positions, vertices, 1, label);
}

}  // namespace brokkr::capture
