#include "capture/clip.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace brokkr::capture {
namespace {

// A new vertex with all its attributes.
struct Corner {
  glm::vec4 position;
  std::vector<float> varyings, distances;
};

class Clipper {
 public:
  Clipper(ClippedDraw& draw, const std::vector<float>& distances, uint32_t planes, const ClipRules& rules)
      : draw_(draw), distances_(distances), planes_(planes), rules_(rules) {}

  void run() {
    const Topology topology = draw_.assembly.topology;
    size_ = topology == Topology::points ? 1 : topology <= Topology::triangle_fan ? 3 : 2;
    for (uint32_t instance = 0; instance < draw_.instances; ++instance) {
      base_ = instance * draw_.vertices;
      std::vector<uint32_t> run;  // elements up to a restart
      const size_t count = draw_.assembly.indexed ? draw_.assembly.indices.size() : draw_.vertices;
      for (size_t i = 0; i <= count; ++i) {
        const uint32_t element = i == count               ? kRestartIndex
                                 : draw_.assembly.indexed ? draw_.assembly.indices[i]
                                                          : static_cast<uint32_t>(i);
        if (element != kRestartIndex) {
          run.push_back(element);
          continue;
        }
        assemble_run(run);
        run.clear();
      }
    }
    draw_.assembly.topology = size_ == 1 ? Topology::points : size_ == 3 ? Topology::triangles : Topology::lines;
    draw_.assembly.indexed = true;
    draw_.assembly.restart = false;
    draw_.assembly.indices = std::move(indices_);
    draw_.vertices = static_cast<uint32_t>(draw_.positions.size());
    draw_.instances = 1;
  }

 private:
  // Assembles primitives with their provoking vertex last, as lists have it.
  void assemble_run(const std::vector<uint32_t>& v) {
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
    bool inside = true;
    for (size_t i = 0; i < size_; ++i) {
      element[i] += base_;
      for (uint32_t plane = 0; plane < planes_; ++plane) inside = inside && distance(element[i], plane) >= 0;
    }
    if (inside) {
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
  size_t size_ = 3;  // vertices per primitive
  uint32_t base_ = 0;
  std::vector<uint32_t> indices_;
};

}  // namespace

void clip(ClippedDraw& draw, const std::vector<float>& distances, uint32_t planes, const ClipRules& rules) {
  if (std::all_of(distances.begin(), distances.end(), [](float distance) { return distance >= 0; })) return;
  Clipper(draw, distances, planes, rules).run();
}

}  // namespace brokkr::capture
