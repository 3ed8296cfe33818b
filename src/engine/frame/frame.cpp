#include "brokkr/frame.h"

#include <algorithm>

#include "frame/primitive_counts.h"

namespace brokkr {
namespace {

// Calls f(draw, triangles per view) for each draw of triangles.
template <typename F>
void each_surface(const Frame& frame, F&& f) {
  PrimitiveCounts counts(frame);
  for (const Command& command : frame.commands) {
    const auto* draw = std::get_if<DrawCommand>(&command);
    if (draw != nullptr && draw->topology <= Topology::triangle_fan) {
      f(*draw, counts.of(*draw) * draw->instances);
    }
  }
}

}  // namespace

uint64_t primitive_count(Topology topology, uint64_t elements) {
  switch (topology) {
    case Topology::triangles: return elements / 3;
    case Topology::triangle_strip:
    case Topology::triangle_fan: return elements < 3 ? 0 : elements - 2;
    case Topology::points: return elements;
    case Topology::lines: return elements / 2;
    case Topology::line_strip: return elements < 2 ? 0 : elements - 1;
    case Topology::line_loop: return elements < 2 ? 0 : elements;
  }
  return 0;
}

uint64_t primitive_count(const Frame& frame, const DrawCommand& draw) {
  if (!draw.indexed || !draw.restart) return primitive_count(draw.topology, draw.element_count);
  uint64_t total = 0, run = 0;
  for (uint64_t i = 0; i < draw.element_count; i++) {
    if (frame.indices.at(draw.first_index + i) == kRestartIndex) {
      total += primitive_count(draw.topology, run);
      run = 0;
    } else {
      run++;
    }
  }
  return total + primitive_count(draw.topology, run);
}

uint64_t triangle_count(const Frame& frame) {
  uint64_t total = 0;
  each_surface(frame, [&](const DrawCommand& draw, uint64_t triangles) { total += triangles * draw.view_count; });
  return total;
}

uint32_t main_target(const Frame& frame) {
  // Changes of the number from one view to the next, because draws may have many views.
  std::vector<uint64_t> changes(frame.views.size() + 1, 0);
  each_surface(frame, [&](const DrawCommand& draw, uint64_t triangles) {
    changes.at(draw.first_view) += triangles;
    changes.at(uint64_t(draw.first_view) + draw.view_count) -= triangles;
  });
  std::vector<uint64_t> triangles_of(frame.targets.size(), 0);
  uint64_t of_view = 0;
  for (size_t view = 0; view < frame.views.size(); view++) {
    of_view += changes[view];
    triangles_of.at(frame.views[view].target) += of_view;
  }
  return uint32_t(std::max_element(triangles_of.begin(), triangles_of.end()) - triangles_of.begin());
}

}  // namespace brokkr
