#include "batch/frame_batches.h"

#include <chrono>
#include <map>
#include <stdexcept>

#include "batch/pages.h"
#include "batch/predict.h"

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

// A vertex buffer that grows: it begins with the frame's vertices, and draws append vertices of their own.
class NewVertices {
 public:
  explicit NewVertices(Frame& frame) : frame_(frame) {}

  // Vertices `source` (relative to the draw's) become the draw's own, for each of its instances.
  void give(DrawCommand& draw, const std::vector<uint32_t>& source) {
    const uint64_t first = frame_.positions.size();
    const uint32_t copies = draw.vertex_kind == VertexKind::clip_space ? draw.instances : 1;
    if (first + uint64_t(copies) * source.size() > uint64_t(1) << 31) {
      throw std::runtime_error("optimize: more than 2^31 vertices; split the file");
    }
    for (uint32_t instance = 0; instance < copies; ++instance) {
      const uint64_t base = draw.first_vertex + uint64_t(instance) * draw.vertex_count;
      for (const uint32_t v : source) frame_.positions.push_back(glm::vec4(frame_.positions[base + v]));
      if (!frame_.normals.empty()) {
        for (const uint32_t v : source) frame_.normals.push_back(glm::vec3(frame_.normals[base + v]));
      }
      if (!frame_.texcoords.empty()) {
        for (const uint32_t v : source) frame_.texcoords.push_back(glm::vec2(frame_.texcoords[base + v]));
      }
    }
    draw.first_vertex = first;
    draw.vertex_count = uint32_t(source.size());
  }

  // Drops vertices and indices that no draw has any more; everything else moves up.
  void compact() {
    compact_one([](DrawCommand& d) -> uint64_t& { return d.first_vertex; },
                [](const DrawCommand& d) {
                  const uint32_t copies = d.vertex_kind == VertexKind::clip_space ? d.instances : 1;
                  return uint64_t(d.vertex_count) * copies;
                },
                [](const DrawCommand&) { return true; },
                [&](uint64_t from, uint64_t to, uint64_t count) {
                  const auto move = [&](auto& array) {
                    if (!array.empty())
                      std::copy_n(array.begin() + ptrdiff_t(from), count, array.begin() + ptrdiff_t(to));
                  };
                  move(frame_.positions);
                  move(frame_.normals);
                  move(frame_.texcoords);
                },
                [&](uint64_t size) {
                  frame_.positions.resize(size);
                  if (!frame_.normals.empty()) frame_.normals.resize(size);
                  if (!frame_.texcoords.empty()) frame_.texcoords.resize(size);
                });
    compact_one([](DrawCommand& d) -> uint64_t& { return d.first_index; },
                [](const DrawCommand& d) { return uint64_t(d.element_count); },
                [](const DrawCommand& d) { return d.indexed; },
                [&](uint64_t from, uint64_t to, uint64_t count) {
                  std::copy_n(frame_.indices.begin() + ptrdiff_t(from), count, frame_.indices.begin() + ptrdiff_t(to));
                },
                [&](uint64_t size) { frame_.indices.resize(size); });
  }

 private:
  Frame& frame_;

  template <class First, class Count, class Uses, class Move, class Resize>
  void compact_one(First&& first_of, Count&& count_of, Uses&& uses, Move&& move, Resize&& resize) {
    std::map<uint64_t, uint64_t> kept;  // begin -> end, merged
    for (Command& command : frame_.commands) {
      auto* draw = std::get_if<DrawCommand>(&command);
      if (draw == nullptr || !uses(*draw)) continue;
      uint64_t begin = first_of(*draw), end = begin + count_of(*draw);
      auto next = kept.upper_bound(begin);
      if (next != kept.begin() && std::prev(next)->second >= begin) --next;
      while (next != kept.end() && next->first <= end) {
        begin = std::min(begin, next->first);
        end = std::max(end, next->second);
        next = kept.erase(next);
      }
      kept[begin] = end;
    }
    std::map<uint64_t, uint64_t> moved;  // old begin -> new begin
    uint64_t size = 0;
    for (const auto& [begin, end] : kept) {
      if (begin != size) move(begin, size, end - begin);
      moved[begin] = size;
      size += end - begin;
    }
    for (Command& command : frame_.commands) {
      auto* draw = std::get_if<DrawCommand>(&command);
      if (draw == nullptr || !uses(*draw)) continue;
      const auto range = std::prev(moved.upper_bound(first_of(*draw)));
      first_of(*draw) = range->second + (first_of(*draw) - range->first);
    }
    resize(size);
  }
};

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
  NewVertices vertices(frame);
  std::vector<DrawTriangles> all = indexed_triangles(frame);
  for (DrawTriangles& triangles : all) {
    auto& draw = std::get<DrawCommand>(frame.commands[triangles.command]);
    if (!options.every_draw && !order_is_free(frame, draw)) {
      ++report.kept_draws;
      continue;
    }
    if (progress) {
      progress("draw " + std::to_string(triangles.command) + ": " + std::to_string(triangles.indices.size() / 3) +
               " triangles");
    }
    report.vertex_runs_before += predict_batches(model, triangles.indices).vertex_runs;
    const auto begin = std::chrono::steady_clock::now();
    std::vector<uint32_t> indices = reorder(options.method, model, triangles.indices, options.cache_size);
    std::vector<uint32_t> source;  // empty: the vertices it has
    if (options.number_vertices) {
      VertexNumbering n = number_by_first_use(indices);
      indices = std::move(n.indices);
      source = std::move(n.source);
    }
    const auto count = uint32_t(source.empty() ? draw.vertex_count : source.size());
    if (options.keep_pages && model.forgets_at_pages && count > kPageVertices) {
      VertexNumbering n = keep_pages_apart(model, indices, count);
      if (n.source.size() > count || source.empty()) {
        if (!source.empty()) {
          for (uint32_t& v : n.source) v = source[v];
        }
        indices = std::move(n.indices);
        source = std::move(n.source);
      }
    }
    report.milliseconds += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    report.vertex_runs_after += predict_batches(model, indices).vertex_runs;
    report.triangles += indices.size() / 3;
    ++report.draws;
    if (!source.empty()) vertices.give(draw, source);
    draw.topology = Topology::triangles;
    draw.restart = false;
    draw.first_index = frame.indices.size();
    draw.element_count = uint32_t(indices.size());
    frame.indices.insert(frame.indices.end(), indices.begin(), indices.end());
    triangles.indices.clear();
  }
  vertices.compact();
  validate(frame);
  report.vertices_after = frame.positions.size();
  return report;
}

}  // namespace brokkr
