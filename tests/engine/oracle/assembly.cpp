#include "oracle/assembly.h"

#include <stdexcept>
#include <string>

namespace brokkr::oracle {
namespace {

constexpr uint32_t kRestart = 0xffffffffu;

// Runs of elements between restart indices, or all elements if restart is off.
std::vector<std::vector<uint32_t>> runs_of(const Frame& frame, const DrawCommand& draw) {
  std::vector<std::vector<uint32_t>> runs(1);
  for (uint32_t i = 0; i < draw.element_count; ++i) {
    const uint32_t element = draw.indexed ? frame.indices.at(draw.first_index + i) : i;
    if (draw.restart && draw.indexed && element == kRestart) {
      runs.emplace_back();
    } else {
      runs.back().push_back(element);
    }
  }
  return runs;
}

void assemble_run(Topology topology, const std::vector<uint32_t>& run, std::vector<Corners>& triangles) {
  switch (topology) {
    case Topology::triangles:
      for (size_t i = 0; i + 2 < run.size(); i += 3) triangles.push_back({run[i], run[i + 1], run[i + 2]});
      return;
    case Topology::triangle_strip:
      for (size_t i = 0; i + 2 < run.size(); ++i) {
        const bool odd = i % 2 == 1;
        triangles.push_back({run[odd ? i + 1 : i], run[odd ? i : i + 1], run[i + 2]});
      }
      return;
    case Topology::triangle_fan:
      for (size_t i = 1; i + 1 < run.size(); ++i) triangles.push_back({run[0], run[i], run[i + 1]});
      return;
    case Topology::points:
    case Topology::lines:
    case Topology::line_strip:
    case Topology::line_loop: break;
  }
  throw std::invalid_argument("oracle: topology " + std::to_string(int(topology)) + " is not triangles");
}

}  // namespace

std::vector<Corners> assemble(const Frame& frame, const DrawCommand& draw) {
  std::vector<Corners> triangles;
  for (const std::vector<uint32_t>& run : runs_of(frame, draw)) assemble_run(draw.topology, run, triangles);
  return triangles;
}

glm::vec4 clip_position(const Frame& frame, const DrawCommand& draw, uint32_t view, uint32_t instance,
                        uint32_t vertex) {
  if (draw.vertex_kind == VertexKind::clip_space) {
    return frame.positions.at(draw.first_vertex + uint64_t(instance) * draw.vertex_count + vertex);
  }
  const glm::vec4 world =
      frame.models.at(draw.first_instance + instance) * frame.positions.at(draw.first_vertex + vertex);
  return frame.views.at(view).view_projection * world;
}

}  // namespace brokkr::oracle
