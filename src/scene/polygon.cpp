#include "scene/polygon.h"

#include <cmath>
#include <glm/vec2.hpp>

namespace brokkr {
namespace {

using Triangle = std::array<uint32_t, 3>;

// Newell's method: the sum over the edges is twice the area vector for any planar polygon.
glm::dvec3 area_vector(std::span<const glm::vec3> corners) {
  glm::dvec3 sum(0.0);
  for (size_t i = 0; i < corners.size(); i++) {
    const glm::dvec3 a(corners[i]), b(corners[(i + 1) % corners.size()]);
    sum += glm::dvec3((a.y - b.y) * (a.z + b.z), (a.z - b.z) * (a.x + b.x), (a.x - b.x) * (a.y + b.y));
  }
  return sum;
}

// The two coordinates of a point that remain when the axis nearest to the normal is left out, ordered such that a
// polygon that is counter-clockwise around the normal stays so.
glm::dvec2 project(const glm::vec3& point, const glm::dvec3& normal) {
  const glm::dvec3 size(std::abs(normal.x), std::abs(normal.y), std::abs(normal.z));
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  const double u = double(point[(axis + 1) % 3]), v = double(point[(axis + 2) % 3]);
  return normal[axis] < 0 ? glm::dvec2(v, u) : glm::dvec2(u, v);
}

double turn(const glm::dvec2& a, const glm::dvec2& b, const glm::dvec2& c) {
  return (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
}

class EarClipper {
 public:
  EarClipper(std::span<const glm::vec3> corners, std::vector<Triangle>& triangles) : triangles_(triangles) {
    const glm::dvec3 normal = area_vector(corners);
    for (uint32_t i = 0; i < corners.size(); i++) {
      points_.push_back(project(corners[i], normal));
      left_.push_back(i);
    }
  }

  void clip() {
    size_t at = 0, tried = 0;
    while (left_.size() > 3 && tried < left_.size()) {
      at %= left_.size();
      if (is_ear(at)) {
        emit(at);
        left_.erase(left_.begin() + std::ptrdiff_t(at));
        tried = 0;
      } else {
        at++;
        tried++;
      }
    }
    for (size_t i = 1; i + 1 < left_.size(); i++) triangles_.push_back({left_[0], left_[i], left_[i + 1]});
  }

 private:
  uint32_t around(size_t at, size_t step) const { return left_[(at + step) % left_.size()]; }

  // The corner turns left, and no other corner lies in the triangle that it would cut off.
  bool is_ear(size_t at) const {
    const uint32_t a = around(at, left_.size() - 1), b = left_[at], c = around(at, 1);
    if (!(turn(points_[a], points_[b], points_[c]) > 0)) return false;
    for (size_t i = 2; i + 1 < left_.size(); i++) {
      const glm::dvec2& p = points_[around(at, i)];
      if (p == points_[a] || p == points_[b] || p == points_[c]) continue;
      if (turn(points_[a], points_[b], p) >= 0 && turn(points_[b], points_[c], p) >= 0 &&
          turn(points_[c], points_[a], p) >= 0) {
        return false;
      }
    }
    return true;
  }

  void emit(size_t at) { triangles_.push_back({around(at, left_.size() - 1), left_[at], around(at, 1)}); }

  std::vector<Triangle>& triangles_;
  std::vector<glm::dvec2> points_;
  std::vector<uint32_t> left_;
};

}  // namespace

void triangulate(std::span<const glm::vec3> corners, std::vector<Triangle>& triangles) {
  if (corners.size() == 3) {
    triangles.push_back({0, 1, 2});
  } else if (corners.size() > 3) {
    EarClipper(corners, triangles).clip();
  }
}

}  // namespace brokkr
