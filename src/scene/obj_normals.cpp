#include <cmath>
#include <glm/geometric.hpp>

#include "scene/obj_mesh.h"

namespace brokkr {
namespace {

constexpr float kCosCrease = 0.70710678f;  // 45 degrees
constexpr uint32_t kMaxFaces = 256;        // looked at around one position, so that a hub does not take forever

// Faces around each position, as one array cut at `begin`.
struct Adjacency {
  std::vector<uint32_t> begin, faces;
};

Adjacency find_adjacency(const ObjMesh& mesh) {
  Adjacency adjacency;
  adjacency.begin.assign(mesh.positions.size() + 1, 0);
  for (const ObjTriangle& triangle : mesh.triangles) {
    for (const ObjCorner& corner : triangle.corners) adjacency.begin[size_t(corner.position) + 1]++;
  }
  for (size_t i = 1; i < adjacency.begin.size(); i++) adjacency.begin[i] += adjacency.begin[i - 1];
  adjacency.faces.resize(mesh.triangles.size() * 3);
  std::vector<uint32_t> next(adjacency.begin.begin(), adjacency.begin.end() - 1);
  for (size_t i = 0; i < mesh.triangles.size(); i++) {
    for (const ObjCorner& corner : mesh.triangles[i].corners) {
      adjacency.faces[next[size_t(corner.position)]++] = uint32_t(i);
    }
  }
  return adjacency;
}

struct FaceNormal {
  glm::vec3 unit;  // zero where the face has no area
  float area;
};

std::vector<FaceNormal> find_face_normals(const ObjMesh& mesh) {
  std::vector<FaceNormal> normals;
  normals.reserve(mesh.triangles.size());
  for (const ObjTriangle& triangle : mesh.triangles) {
    const glm::dvec3 a(mesh.positions[size_t(triangle.corners[0].position)]);
    const glm::dvec3 b(mesh.positions[size_t(triangle.corners[1].position)]);
    const glm::dvec3 c(mesh.positions[size_t(triangle.corners[2].position)]);
    const glm::dvec3 cross = glm::cross(b - a, c - a);
    const double length = glm::length(cross);
    const bool has_area = length > 0 && std::isfinite(length);
    normals.push_back({has_area ? glm::vec3(cross / length) : glm::vec3(0), has_area ? float(length) : 0.0f});
  }
  return normals;
}

}  // namespace

void add_missing_normals(ObjMesh& mesh) {
  bool missing = false;
  for (const ObjTriangle& triangle : mesh.triangles) {
    for (const ObjCorner& corner : triangle.corners) missing |= corner.normal < 0;
  }
  if (!missing) return;
  const Adjacency adjacency = find_adjacency(mesh);
  const std::vector<FaceNormal> face_normals = find_face_normals(mesh);
  for (size_t i = 0; i < mesh.triangles.size(); i++) {
    const glm::vec3 own = face_normals[i].unit;
    for (ObjCorner& corner : mesh.triangles[i].corners) {
      if (corner.normal >= 0) continue;
      glm::dvec3 sum(0.0);
      const uint32_t begin = adjacency.begin[size_t(corner.position)];
      const uint32_t end = adjacency.begin[size_t(corner.position) + 1];
      for (uint32_t k = begin; k < end && end - begin <= kMaxFaces; k++) {
        const FaceNormal& other = face_normals[adjacency.faces[k]];
        if (glm::dot(other.unit, own) >= kCosCrease) sum += glm::dvec3(other.unit) * double(other.area);
      }
      const double length = glm::length(sum);
      glm::vec3 normal = length > 0 ? glm::vec3(sum / length) : own;
      if (normal == glm::vec3(0)) normal = glm::vec3(0, 1, 0);  // a face without area: never seen, but defined
      corner.normal = int(mesh.normals.size());
      mesh.normals.push_back(normal);
    }
  }
}

}  // namespace brokkr
