#include "capture/primitives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <numeric>
#include <utility>

#include "frame/gl_names.h"

namespace brokkr::capture {
namespace {

template <typename T>
std::vector<uint32_t> widen(std::span<const std::byte> bytes) {
  std::vector<uint32_t> result(bytes.size() / sizeof(T));
  for (size_t i = 0; i < result.size(); i++) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    result[i] = value;
  }
  return result;
}

// The elements between two restarts.
using Run = std::span<const uint32_t>;

std::vector<Run> split_at_restarts(const std::vector<uint32_t>& elements) {
  std::vector<Run> runs;
  for (auto begin = elements.begin();;) {
    const auto end = std::find(begin, elements.end(), kRestartIndex);
    if (end != begin) runs.emplace_back(begin, end);
    if (end == elements.end()) return runs;
    begin = end + 1;
  }
}

// Describes a mode as one of the file's list topologies: groups of `size` elements, `step` apart, and the corners of
// each group's primitives.
struct Groups {
  GLenum mode;
  Topology list;
  size_t size, step;
  std::vector<uint8_t> corners;
};

// Null for modes that are not lists and cannot become lists.
const Groups* groups_of(GLenum mode) {
  static const std::vector<Groups> kGroups = {
      {GL_POINTS, Topology::points, 1, 1, {0}},
      {GL_LINES, Topology::lines, 2, 2, {0, 1}},
      {GL_LINE_LOOP, Topology::lines, 2, 1, {0, 1}},  // the closing line is added later
      {GL_LINES_ADJACENCY, Topology::lines, 4, 4, {1, 2}},
      {GL_LINE_STRIP_ADJACENCY, Topology::lines, 4, 1, {1, 2}},
      {GL_TRIANGLES, Topology::triangles, 3, 3, {0, 1, 2}},
      {GL_QUADS, Topology::triangles, 4, 4, {0, 1, 2, 0, 2, 3}},       // the driver decides the split
      {GL_QUAD_STRIP, Topology::triangles, 4, 2, {0, 1, 2, 1, 2, 3}},  // the driver decides the split
      {GL_TRIANGLES_ADJACENCY, Topology::triangles, 6, 6, {0, 2, 4}},
      {GL_TRIANGLE_STRIP_ADJACENCY, Topology::triangles, 6, 2, {0, 2, 4}}};  // every second one is flipped
  const auto found = std::find_if(kGroups.begin(), kGroups.end(), [&](const Groups& g) { return g.mode == mode; });
  return found == kGroups.end() ? nullptr : &*found;
}

void append_list(const Groups& groups, Run run, const QuadSplit& split, std::vector<uint32_t>& out) {
  std::span<const uint8_t> corners = groups.corners;
  if (groups.mode == GL_QUADS) corners = split.quad;
  if (groups.mode == GL_QUAD_STRIP) corners = split.strip;
  for (size_t first = 0; first + groups.size <= run.size(); first += groups.step) {
    for (const uint8_t corner : corners) out.push_back(run[first + corner]);
    const bool turned = groups.mode == GL_TRIANGLE_STRIP_ADJACENCY && first / groups.step % 2 == 1;
    if (turned) std::swap(out[out.size() - 3], out[out.size() - 2]);
  }
  if (groups.mode == GL_LINE_LOOP && run.size() > 1) out.insert(out.end(), {run.back(), run.front()});
}

// The topology, for modes that files support directly.
std::optional<Topology> same_topology(GLenum mode) {
  return from_gl<Topology>(kGlTopologies, mode == GL_POLYGON ? GLenum(GL_TRIANGLE_FAN) : mode);
}

}  // namespace

size_t index_size(GLenum type) {
  switch (type) {
    case GL_UNSIGNED_BYTE: return 1;
    case GL_UNSIGNED_SHORT: return 2;
    case GL_UNSIGNED_INT: return 4;
    default: return 0;
  }
}

std::vector<uint32_t> widen_indices(std::span<const std::byte> bytes, GLenum type) {
  switch (index_size(type)) {
    case 1: return widen<uint8_t>(bytes);
    case 2: return widen<uint16_t>(bytes);
    default: return widen<uint32_t>(bytes);
  }
}

CompactIndices compact_indices(const std::vector<uint32_t>& submitted, std::optional<uint32_t> restart) {
  CompactIndices result;
  result.vertices.reserve(submitted.size());
  for (uint32_t index : submitted) {
    if (restart && index == *restart) {
      result.has_restart = true;
    } else {
      result.vertices.push_back(index);
    }
  }
  std::sort(result.vertices.begin(), result.vertices.end());
  result.vertices.erase(std::unique(result.vertices.begin(), result.vertices.end()), result.vertices.end());
  const std::vector<uint32_t>& vertices = result.vertices;
  const bool dense = !vertices.empty() && vertices.back() - vertices.front() == vertices.size() - 1;
  result.indices.reserve(submitted.size());
  for (uint32_t index : submitted) {
    if (restart && index == *restart) {
      result.indices.push_back(kRestartIndex);
    } else if (dense) {
      result.indices.push_back(index - vertices.front());
    } else {
      const auto place = std::lower_bound(vertices.begin(), vertices.end(), index);
      result.indices.push_back(static_cast<uint32_t>(place - vertices.begin()));
    }
  }
  return result;
}

std::optional<Assembly> assemble(GLenum mode, const CompactIndices* indices, uint32_t count, const QuadSplit& split) {
  const bool restart = indices && indices->has_restart;
  const std::optional<Topology> same = same_topology(mode);
  const Groups* const groups = groups_of(mode);
  if (same && !(restart && groups)) {
    Assembly result{*same, indices != nullptr, restart, {}};
    if (indices) result.indices = indices->indices;
    return result;
  }
  if (!groups) return std::nullopt;
  Assembly result{groups->list, true, false, {}};
  std::vector<uint32_t> numbers(indices ? 0 : count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  for (const Run run : split_at_restarts(indices ? indices->indices : numbers)) {
    append_list(*groups, run, split, result.indices);
  }
  return result;
}

namespace {

// Calls `use` with the elements between two restarts.
void for_each_run(const CompactIndices* indices, uint32_t count, const auto& use) {
  std::vector<uint32_t> numbers(indices ? 0 : count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  for (const Run run : split_at_restarts(indices ? indices->indices : numbers)) use(run);
}

// The corners of each face, in order.
std::vector<std::vector<uint32_t>> rings_of(GLenum mode, Run v) {
  std::vector<std::vector<uint32_t>> rings;
  const size_t n = v.size();
  switch (mode) {
    case GL_TRIANGLES:
      for (size_t i = 0; i + 2 < n; i += 3) rings.push_back({v[i], v[i + 1], v[i + 2]});
      break;
    case GL_TRIANGLE_STRIP:
      for (size_t i = 0; i + 2 < n; i++) rings.push_back({v[i + i % 2], v[i + 1 - i % 2], v[i + 2]});
      break;
    case GL_TRIANGLE_FAN:
      for (size_t i = 1; i + 1 < n; i++) rings.push_back({v[0], v[i], v[i + 1]});
      break;
    case GL_QUADS:
      for (size_t i = 0; i + 3 < n; i += 4) rings.push_back({v[i], v[i + 1], v[i + 2], v[i + 3]});
      break;
    case GL_QUAD_STRIP:
      for (size_t i = 0; i + 3 < n; i += 2) rings.push_back({v[i + 2], v[i], v[i + 1], v[i + 3]});
      break;
    case GL_POLYGON:
      if (n > 2) rings.emplace_back(v.begin(), v.end());
      break;
    default: break;
  }
  return rings;
}

// Twice the area of a face in window space, negative if it turns clockwise. Exact signs also behind the eye.
double signed_area(std::span<const uint32_t> lines, std::span<const glm::vec4> positions) {
  const auto corner = [&](size_t i) {
    const glm::vec4& p = positions[lines[2 * i]];
    return std::array<double, 3>{p.x, p.y, p.w};
  };
  const std::array<double, 3> a = corner(0);
  double area = 0;
  for (size_t i = 1; 2 * i + 2 < lines.size(); i++) {
    const std::array<double, 3> b = corner(i), c = corner(i + 1);
    area +=
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return area;
}

}  // namespace

Assembly assemble_flat_polygons(const CompactIndices* indices, uint32_t count, bool provoking_first) {
  Assembly result{Topology::triangles, true, false, {}};
  for_each_run(indices, count, [&](Run v) {
    for (size_t i = 1; i + 1 < v.size(); i++) {
      if (provoking_first) {
        result.indices.insert(result.indices.end(), {v[0], v[i], v[i + 1]});
      } else {
        result.indices.insert(result.indices.end(), {v[i], v[i + 1], v[0]});
      }
    }
  });
  return result;
}

namespace {

// Adds a face's outline in the order of Mesa's software drivers: the closing edge of all faces but polygons comes
// first.
void add_ring(const std::vector<uint32_t>& ring, bool is_polygon, Outlines& out) {
  const size_t n = ring.size(), first = is_polygon ? 0 : n - 1;
  for (size_t i = first; i < first + n; i++)
    out.lines.indices.insert(out.lines.indices.end(), {ring[i % n], ring[(i + 1) % n]});
  out.sizes.push_back(static_cast<uint32_t>(n));
}

}  // namespace

std::optional<Outlines> assemble_outlines(GLenum mode, const CompactIndices* indices, uint32_t count) {
  Outlines result{{Topology::lines, true, false, {}}, {}};
  for_each_run(indices, count, [&](Run run) {
    for (const std::vector<uint32_t>& ring : rings_of(mode, run)) add_ring(ring, mode == GL_POLYGON, result);
  });
  return result.sizes.empty() ? std::nullopt : std::optional(std::move(result));
}

std::optional<Outlines> outlines_of_triangles(GLenum faces, uint32_t vertices, const QuadSplit& split,
                                              const std::function<bool(uint32_t, uint32_t)>& same) {
  Outlines result{{Topology::lines, true, false, {}}, {}};
  if (faces == GL_QUADS) {
    // A strip's quad has its vertices 2, 0, 1, 3 as corners.
    constexpr std::array<uint8_t, 4> kOfStrip = {2, 0, 1, 3};
    for (size_t i = 0; i < split.quad.size(); i++) {
      if (kOfStrip[split.quad[i]] != split.strip[i]) return std::nullopt;
    }
    if (vertices % 6 != 0) return std::nullopt;
    for (uint32_t first = 0; first < vertices; first += 6) {
      std::vector<uint32_t> ring(4);
      for (uint32_t i = 0; i < 6; i++) ring[split.quad[i]] = first + i;
      add_ring(ring, false, result);
    }
    return result;
  }
  if (vertices % 3 != 0) return std::nullopt;
  // A polygon's triangles share its first vertex, which comes first or last in each.
  for (uint32_t first = 0; first < vertices;) {
    const auto fan = [&](uint32_t apex, uint32_t a, uint32_t b) {
      std::vector<uint32_t> ring = {first + apex, first + a, first + b};
      for (uint32_t next = first + 3; next < vertices && same(next + apex, first + apex) && same(next + a, ring.back());
           next += 3)
        ring.push_back(next + b);
      return ring;
    };
    const std::vector<uint32_t> by_last = fan(2, 0, 1), by_first = fan(0, 1, 2);
    const std::vector<uint32_t>& ring = by_last.size() > by_first.size() ? by_last : by_first;
    add_ring(ring, true, result);
    first += 3 * static_cast<uint32_t>(ring.size() - 2);
  }
  return result.sizes.empty() ? std::nullopt : std::optional(std::move(result));
}

void cull_outlines(Outlines& outlines, std::span<const glm::vec4> positions, const std::array<bool, 2>& culled) {
  std::vector<uint32_t> indices, sizes;
  auto begin = outlines.lines.indices.begin();
  for (const uint32_t size : outlines.sizes) {
    const auto end = begin + ptrdiff_t(size) * 2;
    if (!culled[signed_area({begin, end}, positions) > 0]) {
      indices.insert(indices.end(), begin, end);
      sizes.push_back(size);
    }
    begin = end;
  }
  outlines.lines.indices = std::move(indices);
  outlines.sizes = std::move(sizes);
}

uint64_t count_triangles(GLenum mode, uint64_t count) {
  const std::optional<Topology> same = same_topology(mode);
  if (same == Topology::triangle_strip || same == Topology::triangle_fan) return primitive_count(*same, count);
  const Groups* const groups = groups_of(mode);
  if (!groups || groups->list != Topology::triangles || count < groups->size) return 0;
  return ((count - groups->size) / groups->step + 1) * (groups->corners.size() / 3);
}

GLenum feedback_primitive(GLenum mode) {
  const Groups* const groups = groups_of(mode);
  if (mode == GL_LINE_STRIP || (groups && groups->list == Topology::lines)) return GL_LINES;
  return mode == GL_POINTS ? GL_POINTS : GL_TRIANGLES;
}

namespace {

// Calls `use` with the elements of a draw between two restarts.
void for_each_run(const ClippedDraw& draw, const auto& use) {
  std::vector<uint32_t> numbers(draw.assembly.indexed ? 0 : draw.vertices);
  std::iota(numbers.begin(), numbers.end(), 0u);
  for (const Run run : split_at_restarts(draw.assembly.indexed ? draw.assembly.indices : numbers)) use(run);
}

// A new vertex with all its attributes.
struct Corner {
  glm::vec4 position;
  std::vector<float> varyings, distances;
};

class Clipper {
 public:
  // `culls`: the planes remove whole primitives.
  Clipper(ClippedDraw& draw, const std::vector<float>& distances, uint32_t planes, const ClipRules& rules,
          bool culls = false)
      : draw_(draw), distances_(distances), planes_(planes), rules_(rules), culls_(culls) {}

  void run() {
    const Topology topology = draw_.assembly.topology;
    size_ = topology == Topology::points ? 1 : topology <= Topology::triangle_fan ? 3 : 2;
    for (uint32_t instance = 0; instance < draw_.instances; ++instance) {
      base_ = instance * draw_.vertices;
      for_each_run(draw_, [&](Run run) { assemble_run(run); });
    }
    draw_.assembly.topology = size_ == 1 ? Topology::points : size_ == 3 ? Topology::triangles : Topology::lines;
    draw_.assembly.indexed = true;
    draw_.assembly.restart = false;
    draw_.assembly.indices = std::move(indices_);
    draw_.vertices = static_cast<uint32_t>(draw_.positions.size());
    draw_.instances = 1;
  }

 private:
  // Assembles primitives with the provoking vertex last, as in the file's lists.
  void assemble_run(Run v) {
    const size_t n = v.size();
    const bool first = rules_.provoking_first;
    switch (draw_.assembly.topology) {
      case Topology::points:
        for (const uint32_t point : v) add({point});
        break;
      case Topology::lines:
        for (size_t i = 0; i + 1 < n; i += 2) add({v[i], v[i + 1]});
        break;
      case Topology::line_strip:
      case Topology::line_loop:
        for (size_t i = 0; i + 1 < n; ++i) add({v[i], v[i + 1]});
        if (draw_.assembly.topology == Topology::line_loop && n > 1) add({v[n - 1], v[0]});
        break;
      case Topology::triangles:
        for (size_t i = 0; i + 2 < n; i += 3) add({v[i], v[i + 1], v[i + 2]});
        break;
      case Topology::triangle_strip:
        for (size_t i = 0; i + 2 < n; ++i) {
          if (i % 2 == 0) {
            add({v[i], v[i + 1], v[i + 2]});
          } else if (first) {
            add({v[i], v[i + 2], v[i + 1]});
          } else {
            add({v[i + 1], v[i], v[i + 2]});
          }
        }
        break;
      case Topology::triangle_fan:
        for (size_t i = 0; i + 2 < n; ++i) {
          if (first) {
            add({v[i + 1], v[i + 2], v[0]});
          } else {
            add({v[0], v[i + 1], v[i + 2]});
          }
        }
        break;
    }
  }

  void add(std::array<uint32_t, 3> element) {
    bool inside = true, outside = false;
    for (size_t i = 0; i < size_; ++i) element[i] += base_;
    for (uint32_t plane = 0; plane < planes_; ++plane) {
      size_t kept = 0;
      for (size_t i = 0; i < size_; ++i) kept += distance(element[i], plane) >= 0;
      inside = inside && kept == size_;
      outside = outside || kept == 0;
    }
    if (culls_ && outside) return;
    if (inside || culls_) {
      indices_.insert(indices_.end(), element.begin(), element.begin() + ptrdiff_t(size_));
      return;
    }
    if (size_ > 1) add_cut(element);
  }

  float distance(uint32_t vertex, uint32_t plane) const { return distances_[size_t(vertex) * planes_ + plane]; }

  Corner corner_of(uint32_t vertex) const {
    const size_t components = rules_.interpolation.size();
    const auto varyings = draw_.varyings.begin() + ptrdiff_t(vertex * components);
    const auto distances = distances_.begin() + ptrdiff_t(size_t(vertex) * planes_);
    return {draw_.positions[vertex],
            {varyings, varyings + ptrdiff_t(components)},
            {distances, distances + ptrdiff_t(planes_)}};
  }

  // The intersection of the edge from `out` to `in` with a plane.
  Corner meet(const Corner& out, const Corner& in, uint32_t plane) const {
    const float t = out.distances[plane] / (out.distances[plane] - in.distances[plane]);
    Corner corner{out.position + t * (in.position - out.position), out.varyings, out.distances};
    const float in_window = t * in.position.w / corner.position.w;
    for (size_t i = 0; i < corner.varyings.size(); ++i) {
      if (rules_.interpolation[i] == Interpolation::flat) continue;
      const float weight = rules_.interpolation[i] == Interpolation::smooth ? t : in_window;
      corner.varyings[i] += weight * (in.varyings[i] - out.varyings[i]);
    }
    for (uint32_t i = 0; i < planes_; ++i) corner.distances[i] += t * (in.distances[i] - out.distances[i]);
    corner.distances[plane] = 0;
    return corner;
  }

  // The part of a polygon or a line in front of the plane.
  std::vector<Corner> cut(const std::vector<Corner>& corners, uint32_t plane) const {
    std::vector<Corner> kept;
    const auto is_in = [&](const Corner& corner) { return corner.distances[plane] >= 0; };
    for (size_t i = 0; i < corners.size(); ++i) {
      const Corner& here = corners[i];
      if (is_in(here)) kept.push_back(here);
      if (size_ == 2 && i == 1) break;
      const Corner& next = corners[(i + 1) % corners.size()];
      if (is_in(here) != is_in(next)) kept.push_back(is_in(here) ? meet(next, here, plane) : meet(here, next, plane));
    }
    return kept;
  }

  void add_cut(const std::array<uint32_t, 3>& element) {
    std::vector<Corner> corners;
    for (size_t i = 0; i < size_; ++i) corners.push_back(corner_of(element[i]));
    const Corner provoking = rules_.provoking_first ? corners.front() : corners.back();
    for (uint32_t plane = 0; plane < planes_ && corners.size() >= size_; ++plane) corners = cut(corners, plane);
    if (corners.size() < size_) return;
    const auto first = static_cast<uint32_t>(draw_.positions.size());
    for (Corner& corner : corners) {
      for (size_t i = 0; i < corner.varyings.size(); ++i) {
        if (rules_.interpolation[i] == Interpolation::flat) corner.varyings[i] = provoking.varyings[i];
      }
      draw_.positions.push_back(corner.position);
      draw_.varyings.insert(draw_.varyings.end(), corner.varyings.begin(), corner.varyings.end());
    }
    for (uint32_t i = 2; i < corners.size(); ++i) indices_.insert(indices_.end(), {first, first + i - 1, first + i});
    if (size_ == 2) indices_.insert(indices_.end(), {first, first + 1});
  }

  ClippedDraw& draw_;
  const std::vector<float>& distances_;  // of the application's vertices
  const uint32_t planes_;
  const ClipRules& rules_;
  const bool culls_;
  size_t size_ = 3;  // vertices per primitive
  uint32_t base_ = 0;
  std::vector<uint32_t> indices_;
};

}  // namespace

void clip(ClippedDraw& draw, const std::vector<float>& distances, uint32_t planes, const ClipRules& rules) {
  if (std::all_of(distances.begin(), distances.end(), [](float distance) { return distance >= 0; })) return;
  Clipper(draw, distances, planes, rules).run();
}

void cull(ClippedDraw& draw, const std::vector<float>& distances, uint32_t planes, const ClipRules& rules) {
  if (std::all_of(distances.begin(), distances.end(), [](float distance) { return distance >= 0; })) return;
  Clipper(draw, distances, planes, rules, true).run();
}

std::vector<RoutedDraw> route(ClippedDraw draw, std::span<const Route> routes, const ClipRules& rules) {
  Clipper(draw, {}, 0, rules).run();
  const Topology topology = draw.assembly.topology;
  const size_t size = topology == Topology::points ? 1 : topology == Topology::triangles ? 3 : 2;
  const size_t components = rules.interpolation.size();
  std::vector<RoutedDraw> all;
  std::vector<uint32_t> place(draw.positions.size());  // in the draw that `owner` names
  std::vector<size_t> owner(draw.positions.size(), ~size_t{0});
  for (size_t i = 0; i + size <= draw.assembly.indices.size(); i += size) {
    const Route& route = routes[draw.assembly.indices[i]];
    // A layer's primitives keep their order. Other layers are other targets.
    size_t number = all.size();
    for (size_t k = all.size(); k-- > 0;) {
      if (all[k].route.layer != route.layer) continue;
      if (all[k].route.viewport == route.viewport) number = k;
      break;
    }
    if (number == all.size()) all.push_back({route, {{topology, true, false, {}}, 0, 1, {}, {}}});
    ClippedDraw& out = all[number].draw;
    for (size_t k = i; k < i + size; ++k) {
      const uint32_t vertex = draw.assembly.indices[k];
      if (std::exchange(owner[vertex], number) != number) {
        place[vertex] = static_cast<uint32_t>(out.positions.size());
        out.positions.push_back(draw.positions[vertex]);
        const auto first = draw.varyings.begin() + ptrdiff_t(vertex * components);
        out.varyings.insert(out.varyings.end(), first, first + ptrdiff_t(components));
      }
      out.assembly.indices.push_back(place[vertex]);
    }
  }
  for (RoutedDraw& one : all) one.draw.vertices = static_cast<uint32_t>(one.draw.positions.size());
  return all;
}

namespace {

// One end of a line. `vertex`: its number if the application submitted it.
struct LineEnd {
  glm::vec4 position{0};
  std::vector<float> varyings;
  std::optional<uint32_t> vertex;
};

class DashCutter {
 public:
  DashCutter(ClippedDraw& draw, const LineStipple& stipple, const ClipRules& rules)
      : draw_(draw), stipple_(stipple), rules_(rules) {}

  void run() {
    const bool list = draw_.assembly.topology == Topology::lines;
    for (uint32_t instance = 0; instance < draw_.instances; ++instance) {
      const uint32_t base = instance * draw_.vertices;
      for_each_run(draw_, [&](Run v) {
        counter_ = 0;
        for (size_t i = 0; i + 1 < v.size(); i += list ? 2 : 1) {
          if (list) counter_ = 0;
          add(base + v[i], base + v[i + 1]);
        }
        if (draw_.assembly.topology == Topology::line_loop && v.size() > 1) add(base + v.back(), base + v.front());
      });
    }
    draw_.assembly = {Topology::lines, true, false, std::move(indices_)};
    draw_.vertices = static_cast<uint32_t>(draw_.positions.size());
    draw_.instances = 1;
  }

 private:
  LineEnd end_of(uint32_t vertex) const {
    const size_t components = rules_.interpolation.size();
    const auto varyings = draw_.varyings.begin() + ptrdiff_t(vertex * components);
    return {draw_.positions[vertex], {varyings, varyings + ptrdiff_t(components)}, vertex};
  }

  // Copies flat components from the provoking vertex.
  void flatten(LineEnd& end, const LineEnd& provoking) const {
    for (size_t i = 0; i < end.varyings.size(); ++i) {
      if (rules_.interpolation[i] == Interpolation::flat) end.varyings[i] = provoking.varyings[i];
    }
  }

  // The vertex at `t` in clip space.
  LineEnd at_clip(const LineEnd& start, const LineEnd& finish, float t) const {
    LineEnd end{start.position + t * (finish.position - start.position), start.varyings, std::nullopt};
    const float in_window = t * finish.position.w / end.position.w;
    for (size_t i = 0; i < end.varyings.size(); ++i) {
      const float weight = rules_.interpolation[i] == Interpolation::noperspective ? in_window : t;
      end.varyings[i] += weight * (finish.varyings[i] - start.varyings[i]);
    }
    return end;
  }

  // The vertex at `t` in window space, where 1 / w changes linearly as well.
  static LineEnd at_window(const LineEnd& start, const LineEnd& finish, float t) {
    const glm::vec3 a = glm::vec3(start.position) / start.position.w,
                    b = glm::vec3(finish.position) / finish.position.w;
    const float inverse = 1 / start.position.w + t * (1 / finish.position.w - 1 / start.position.w);
    LineEnd end{glm::vec4((a + t * (b - a)) / inverse, 1 / inverse), start.varyings, std::nullopt};
    for (size_t i = 0; i < end.varyings.size(); ++i) end.varyings[i] += t * (finish.varyings[i] - start.varyings[i]);
    return end;
  }

  // Ends the line at the near and the far plane. Returns false if nothing is left.
  bool clip_depth(LineEnd& a, LineEnd& b) const {
    float from_a = 0, from_b = 0;
    const auto cut = [&](float distance_a, float distance_b) {
      if (distance_b < 0) from_b = std::max(from_b, distance_b / (distance_b - distance_a));
      if (distance_a < 0) from_a = std::max(from_a, distance_a / (distance_a - distance_b));
    };
    const glm::vec4 &p = a.position, &q = b.position;
    cut(stipple_.zero_to_one ? p.z : p.z + p.w, stipple_.zero_to_one ? q.z : q.z + q.w);
    cut(p.w - p.z, q.w - q.z);
    if (!(from_a + from_b < 1)) return false;
    LineEnd begin = from_a > 0 ? at_clip(a, b, from_a) : a, end = from_b > 0 ? at_clip(b, a, from_b) : b;
    a = std::move(begin);
    b = std::move(end);
    return true;
  }

  void add(uint32_t first, uint32_t second) {
    LineEnd a = end_of(first), b = end_of(second);
    const LineEnd provoking = rules_.provoking_first ? a : b;
    if (stipple_.clips_depth && !clip_depth(a, b)) return;
    if (!(a.position.w > 0 && b.position.w > 0)) return;
    const auto pixel = [&](const glm::vec4& p) {
      const float inverse = 1 / p.w, x = 0.5f * stipple_.viewport.z, y = 0.5f * stipple_.viewport.w;
      return glm::vec2(p.x * inverse * x + (stipple_.viewport.x + x), p.y * inverse * y + (stipple_.viewport.y + y));
    };
    const glm::vec2 change = pixel(b.position) - pixel(a.position);
    const float length = stipple_.rectangular ? std::sqrt(change.x * change.x + change.y * change.y)
                                              : std::max(std::abs(change.x), std::abs(change.y));
    constexpr float kLongest = 1 << 24;  // pixels; floats cannot count more
    if (!(length < kLongest)) return;
    const auto emit = [&](float begin, float end) {
      for (const float t : {begin, end}) {
        LineEnd place = t <= 0 ? a : t >= 1 ? b : at_window(a, b, t);
        if (!place.vertex) flatten(place, provoking);
        indices_.push_back(number_of(place));
      }
    };
    std::optional<int> on;  // the first pixel of the dash
    const int pixels = static_cast<int>(std::ceil(length));
    for (int i = 0; i < pixels; ++i) {
      const uint32_t bit = (counter_ + static_cast<uint32_t>(i)) / stipple_.factor % 16;
      const bool drawn = (stipple_.pattern >> bit & 1) != 0;
      if (drawn && !on) on = i;
      if (drawn || !on) continue;
      emit(static_cast<float>(*on) / length, static_cast<float>(i) / length);
      on.reset();
    }
    if (on) emit(static_cast<float>(*on) / length, 1);
    counter_ += static_cast<uint32_t>(pixels);
  }

  uint32_t number_of(const LineEnd& end) {
    if (end.vertex) return *end.vertex;
    draw_.positions.push_back(end.position);
    draw_.varyings.insert(draw_.varyings.end(), end.varyings.begin(), end.varyings.end());
    return static_cast<uint32_t>(draw_.positions.size() - 1);
  }

  ClippedDraw& draw_;
  const LineStipple& stipple_;
  const ClipRules& rules_;
  uint32_t counter_ = 0;  // pixels since the beginning of the strip; the driver counts those of parts as whole ones
  std::vector<uint32_t> indices_;
};

}  // namespace

void cut_into_dashes(ClippedDraw& draw, const LineStipple& stipple, const ClipRules& rules) {
  DashCutter(draw, stipple, rules).run();
}

}  // namespace brokkr::capture
