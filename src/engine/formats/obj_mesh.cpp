#include "formats/obj.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <numeric>

#include "base/growth.h"
#include "formats/triangle_graph.h"

namespace brokkr {
namespace {

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
  const glm::dvec3 size = glm::abs(normal);
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  const double u = double(point[(axis + 1) % 3]), v = double(point[(axis + 2) % 3]);
  return normal[axis] < 0 ? glm::dvec2(v, u) : glm::dvec2(u, v);
}

double turn(const glm::dvec2& a, const glm::dvec2& b, const glm::dvec2& c) {
  return (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
}

constexpr float kCosCrease = 0.70710678f;  // 45 degrees
constexpr uint32_t kMaxFaces = 256;        // looked at around one position, so that a hub does not take forever

struct FaceNormal {
  glm::vec3 unit;  // zero where the face has no area
  float area;
};

std::vector<FaceNormal> find_face_normals(const ObjMesh& mesh, Loading& loading) {
  std::vector<FaceNormal> normals;
  normals.reserve(mesh.triangles.size());
  for (const ObjTriangle& triangle : mesh.triangles) {
    loading.step();
    const auto corner = [&](size_t i) { return glm::dvec3(mesh.positions[size_t(triangle.corners[i].position)]); };
    const glm::dvec3 a = corner(0), b = corner(1), c = corner(2);
    const glm::dvec3 cross = glm::cross(b - a, c - a);
    const double length = glm::length(cross);
    const bool has_area = length > 0 && std::isfinite(length);
    normals.push_back({has_area ? glm::vec3(cross / length) : glm::vec3(0), has_area ? float(length) : 0.0f});
  }
  return normals;
}

}  // namespace

bool is_usable(const glm::vec3& value) {
  constexpr float kMaxCoordinate = 1e15f;  // squares of differences stay finite
  return std::abs(value.x) <= kMaxCoordinate && std::abs(value.y) <= kMaxCoordinate &&
         std::abs(value.z) <= kMaxCoordinate;  // false for NaN
}

void triangulate(std::span<const glm::vec3> corners, std::vector<std::array<uint32_t, 3>>& triangles,
                 Loading* loading) {
  if (corners.size() == 3) {
    triangles.push_back({0, 1, 2});
    return;
  }
  const glm::dvec3 normal = area_vector(corners);
  std::vector<glm::dvec2> points;
  for (const glm::vec3& corner : corners) points.push_back(project(corner, normal));
  std::vector<uint32_t> left(corners.size());
  std::iota(left.begin(), left.end(), 0u);
  const auto around = [&](size_t at, size_t step) { return left[(at + step) % left.size()]; };
  // The corner turns left, and no other corner lies in the triangle that it would cut off.
  const auto is_ear = [&](size_t at) {
    const glm::dvec2 &a = points[around(at, left.size() - 1)], &b = points[left[at]], &c = points[around(at, 1)];
    if (!(turn(a, b, c) > 0)) return false;
    for (size_t i = 2; i + 1 < left.size(); i++) {
      const glm::dvec2& p = points[around(at, i)];
      if (p == a || p == b || p == c) continue;
      if (turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0) return false;
    }
    return true;
  };
  for (size_t at = 0, tried = 0; left.size() > 3 && tried < left.size();) {
    at %= left.size();
    if (loading != nullptr) loading->step();
    if (is_ear(at)) {
      triangles.push_back({around(at, left.size() - 1), left[at], around(at, 1)});
      left.erase(left.begin() + std::ptrdiff_t(at));
      tried = 0;
    } else {
      at++;
      tried++;
    }
  }
  for (size_t i = 1; i + 1 < left.size(); i++) triangles.push_back({left[0], left[i], left[i + 1]});
}

void check_mesh(const ObjMesh& mesh, const Loading& loading, std::string_view field) {
  constexpr uint64_t kGrowth = 3;  // a list that is full is copied to one of twice its size
  const auto bytes = [](const auto&... lists) { return (uint64_t(lists.size() * sizeof(lists[0])) + ...); };
  loading.check(
      kGrowth * bytes(mesh.positions, mesh.normals, mesh.texcoords, mesh.triangles, mesh.colors, mesh.face_colors),
      field);
}

void add_missing_normals(ObjMesh& mesh, Loading& loading) {
  const auto has_all = [&](const ObjTriangle& triangle) {
    loading.step();
    return std::all_of(triangle.corners.begin(), triangle.corners.end(), [](auto& c) { return c.normal >= 0; });
  };
  if (std::all_of(mesh.triangles.begin(), mesh.triangles.end(), has_all)) return;
  constexpr uint64_t kBytes = 6 * sizeof(uint32_t) + sizeof(FaceNormal) + 3 * 3 * sizeof(glm::vec3);
  loading.check(mesh.triangles.size() * kBytes + mesh.positions.size() * 2 * sizeof(uint32_t), "f");
  std::vector<uint32_t> positions;
  positions.reserve(mesh.triangles.size() * 3);
  for (const ObjTriangle& triangle : mesh.triangles) {
    loading.step();
    for (const ObjCorner& corner : triangle.corners) positions.push_back(uint32_t(corner.position));
  }
  const VertexTriangles around(positions, [&] { loading.look(); });
  const std::vector<FaceNormal> face_normals = find_face_normals(mesh, loading);
  for (size_t i = 0; i < mesh.triangles.size(); i++) {
    loading.step(i, mesh.triangles.size());
    const glm::vec3 own = face_normals[i].unit;
    for (ObjCorner& corner : mesh.triangles[i].corners) {
      if (corner.normal >= 0) continue;
      glm::dvec3 sum(0.0);
      const auto faces = around.of(uint32_t(corner.position));
      for (size_t k = 0; k < faces.size() && faces.size() <= kMaxFaces; k++) {
        const FaceNormal& other = face_normals[faces[k]];
        if (glm::dot(other.unit, own) >= kCosCrease) sum += glm::dvec3(other.unit) * double(other.area);
      }
      const double length = glm::length(sum);
      glm::vec3 normal = length > 0 ? glm::vec3(sum / length) : own;
      if (normal == glm::vec3(0)) normal = glm::vec3(0, 1, 0);  // a face without area: never seen, but defined
      corner.normal = int(mesh.normals.size());
      push_in_steps(mesh.normals, normal, loading);
    }
  }
}

}  // namespace brokkr
