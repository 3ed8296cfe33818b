#include "batch/frame_batches.h"

#include <algorithm>
#include <chrono>

#include "base/failure.h"
#include "base/range_set.h"
#include "batch/predict.h"
#include "batch/reorder.h"

namespace brokkr {
namespace {

void assemble(const Frame& frame, const DrawCommand& draw, std::vector<uint32_t>& out) {
  constexpr uint32_t kRestart = 0xffffffffu;
  const uint32_t* index = frame.indices.data() + draw.first_index;
  const uint64_t count = draw.element_count;
  const auto emit = [&](uint64_t a, uint64_t b, uint64_t c) { out.insert(out.end(), {index[a], index[b], index[c]}); };
  uint64_t begin = 0;
  while (begin < count) {
    uint64_t end = begin;
    while (end < count && !(draw.restart && index[end] == kRestart)) ++end;
    if (draw.topology == Topology::triangles) {
      for (uint64_t i = begin; i + 2 < end; i += 3) emit(i, i + 1, i + 2);
    } else if (draw.topology == Topology::triangle_strip) {
      for (uint64_t i = begin; i + 2 < end; ++i) {
        const uint64_t odd = (i - begin) & 1;
        emit(i + odd, i + 1 - odd, i + 2);
      }
    } else {
      for (uint64_t i = begin + 1; i + 1 < end; ++i) emit(begin, i, i + 1);
    }
    begin = end + 1;
  }
}

bool has_indexed_triangles(const DrawCommand& draw) {
  return draw.indexed && draw.topology <= Topology::triangle_fan && draw.element_count >= 3 && draw.instances > 0 &&
         draw.view_count > 0;
}

// Calls f(array) for each array with one value per vertex.
template <class F>
void each_attribute(Frame& frame, F&& f) {
  f(frame.positions);
  if (!frame.normals.empty()) f(frame.normals);
  if (!frame.texcoords.empty()) f(frame.texcoords);
  if (!frame.second_texcoords.empty()) f(frame.second_texcoords);
  if (!frame.colors.empty()) f(frame.colors);
}

// The number of times that a draw's vertices are stored, one set after another.
uint32_t vertex_sets(const DrawCommand& draw) {
  return draw.vertex_kind == VertexKind::clip_space ? draw.instances : 1;
}

// Gives each draw separate inputs, so that the inputs of its vertices can change independently.
void part_inputs(Frame& frame) {
  std::vector<bool> taken(frame.inputs.size());
  for (Command& command : frame.commands) {
    auto* draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr || draw->inputs < 0) continue;
    if (taken[size_t(draw->inputs)]) {
      frame.inputs.push_back(frame.inputs[size_t(draw->inputs)]);
      draw->inputs = int32_t(frame.inputs.size()) - 1;
    } else {
      taken[size_t(draw->inputs)] = true;
    }
  }
}

// Does the work of give_vertices for the varyings that the draw's program reads.
void give_varyings(Frame& frame, const DrawCommand& draw, const std::vector<uint32_t>& source) {
  DrawInputs& inputs = frame.inputs[size_t(draw.inputs)];
  const uint64_t components = varying_components(frame.programs[inputs.program]);
  const uint64_t first = inputs.first_varying;
  inputs.first_varying = frame.varyings.size();
  for (uint32_t set = 0; set < vertex_sets(draw); ++set) {
    for (const uint32_t v : source) {
      const uint64_t vertex = first + (uint64_t(set) * draw.vertex_count + v) * components;
      for (uint64_t i = 0; i < components; ++i) frame.varyings.push_back(float(frame.varyings[vertex + i]));
    }
  }
}

// Appends the vertices `source` (relative to the draw's) to the arrays, for each of its instances, and makes the draw
// use them.
void give_vertices(Frame& frame, DrawCommand& draw, const std::vector<uint32_t>& source) {
  const uint64_t first = frame.positions.size();
  if (first + uint64_t(vertex_sets(draw)) * source.size() > uint64_t(1) << 31) {
    fail("optimize: more than 2^31 vertices; split the file");
  }
  each_attribute(frame, [&](auto& values) {
    for (uint32_t set = 0; set < vertex_sets(draw); ++set) {
      const uint64_t base = draw.first_vertex + uint64_t(set) * draw.vertex_count;
      for (const uint32_t v : source) {
        const auto value = values[base + v];
        values.push_back(value);
      }
    }
  });
  if (draw.inputs >= 0) give_varyings(frame, draw, source);
  draw.first_vertex = first;
  draw.vertex_count = uint32_t(source.size());
}

// Drops vertices and indices that no draw uses, and moves the others up.
void compact(Frame& frame) {
  RangeSet vertices, indices;
  const auto each_draw = [&](auto&& f) {
    for (Command& command : frame.commands) {
      if (auto* draw = std::get_if<DrawCommand>(&command)) f(*draw);
    }
  };
  const auto pack = [](RangeSet& kept, auto& values) {
    values.resize(kept.pack([&](uint64_t source, uint64_t target, uint64_t count) {
      if (source != target) std::copy_n(values.begin() + ptrdiff_t(source), count, values.begin() + ptrdiff_t(target));
    }));
  };
  each_draw([&](const DrawCommand& draw) {
    vertices.add(draw.first_vertex, uint64_t(draw.vertex_count) * vertex_sets(draw));
    if (draw.indexed) indices.add(draw.first_index, draw.element_count);
  });
  each_attribute(frame, [&](auto& values) { pack(vertices, values); });
  pack(indices, frame.indices);
  each_draw([&](DrawCommand& draw) {
    draw.first_vertex = vertices.moved(draw.first_vertex);
    if (draw.indexed) draw.first_index = indices.moved(draw.first_index);
  });
}

}  // namespace

std::vector<DrawTriangles> indexed_triangles(const Frame& frame) {
  std::vector<DrawTriangles> result;
  for (size_t c = 0; c < frame.commands.size(); ++c) {
    const auto* draw = std::get_if<DrawCommand>(&frame.commands[c]);
    if (draw == nullptr || !has_indexed_triangles(*draw)) continue;
    DrawTriangles triangles{uint32_t(c), {}};
    assemble(frame, *draw, triangles.indices);
    if (!triangles.indices.empty()) result.push_back(std::move(triangles));
  }
  return result;
}

bool order_is_free(const Frame& frame, const DrawCommand& draw) {
  const State& s = frame.states[draw.state];
  const bool ordered_test = s.depth.func == CompareFunc::less || s.depth.func == CompareFunc::lequal ||
                            s.depth.func == CompareFunc::greater || s.depth.func == CompareFunc::gequal;
  return s.depth.test && s.depth.write && ordered_test && !s.blend && !s.stencil && s.polygon_mode == PolygonMode::fill;
}

OptimizeReport optimize_frame(Frame& frame, const BatchModel& model, const OptimizeOptions& options,
                              const std::function<void(const std::string&)>& progress) {
  OptimizeReport report;
  report.vertices_before = frame.positions.size();
  part_inputs(frame);
  const bool numbers_change = options.number_vertices || options.keep_pages;
  const BatchModel order_for = numbers_change ? without_pages(model) : model;
  std::vector<DrawTriangles> all = indexed_triangles(frame);
  for (DrawTriangles& triangles : all) {
    auto& draw = std::get<DrawCommand>(frame.commands[triangles.command]);
    if (!options.every_draw && !order_is_free(frame, draw)) {
      ++report.kept_draws;
      continue;
    }
    const std::string what = fmt::format("draw {}: {} triangles", triangles.command, triangles.indices.size() / 3);
    const auto tell = [&](const std::string& how_far) { progress(what + ", " + how_far); };
    if (progress) progress(what);
    report.vertex_runs_before += predict_batches(model, triangles.indices).vertex_runs;
    const auto begin = std::chrono::steady_clock::now();
    // Without a source, the draw keeps its vertices.
    VertexNumbering now{reorder(options.method, order_for, triangles.indices, options.cache_size,
                                progress ? OrderProgress(tell) : OrderProgress()),
                        {}};
    if (options.number_vertices) now = number_by_first_use(now.indices);
    const auto count = uint32_t(now.source.empty() ? draw.vertex_count : now.source.size());
    if (options.keep_pages && model.forgets_at_pages && count > kPageVertices) {
      VertexNumbering apart = keep_pages_apart(model, now.indices, count);
      if (apart.source.size() > count || now.source.empty()) {
        for (uint32_t& v : apart.source) v = now.source.empty() ? v : now.source[v];
        now = std::move(apart);
      }
    }
    report.milliseconds += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    report.vertex_runs_after += predict_batches(model, now.indices).vertex_runs;
    report.triangles += now.indices.size() / 3;
    ++report.draws;
    if (!now.source.empty()) give_vertices(frame, draw, now.source);
    draw.topology = Topology::triangles;
    draw.restart = false;
    draw.first_index = frame.indices.size();
    draw.element_count = uint32_t(now.indices.size());
    frame.indices.insert(frame.indices.end(), now.indices.begin(), now.indices.end());
    triangles.indices.clear();
  }
  compact(frame);
  validate(frame);
  report.vertices_after = frame.positions.size();
  return report;
}

}  // namespace brokkr
