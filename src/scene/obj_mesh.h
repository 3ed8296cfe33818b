// The text of OBJ and MTL files as plain data: the first half of obj_reader.h.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr {

// Contents of a file that the OBJ file names, by its name there. Throws std::runtime_error where it is missing.
using ResourceReader = std::function<std::vector<std::byte>(const std::string& name)>;

// One corner of a triangle: numbers into the mesh's arrays, -1 where there is none.
struct ObjCorner {
  int position = -1, texcoord = -1, normal = -1;
};

struct ObjTriangle {
  std::array<ObjCorner, 3> corners;
  int material = -1;  // into ObjMesh::materials, -1: none was chosen
};

struct ObjMaterial {
  Material material{.kind = MaterialKind::blinn_phong};  // without textures
  std::string diffuse_texture, alpha_texture;            // names as the MTL file has them, empty: none
};

// Every number of every corner is inside its array; positions, normals and texture coordinates are finite.
struct ObjMesh {
  std::vector<glm::vec3> positions, normals;
  std::vector<glm::vec2> texcoords;
  std::vector<ObjTriangle> triangles;  // in the order of the file
  std::vector<ObjMaterial> materials;
};

// Appends the triangles of a simple, possibly concave polygon of at least three corners to `triangles`, as numbers of
// corners that keep the polygon's orientation: always corners.size() - 2 of them. Ear clipping in the polygon's own
// plane (Newell's normal). Where no ear is left (self-intersection, no area) the rest becomes a fan.
void triangulate(std::span<const glm::vec3> corners, std::vector<std::array<uint32_t, 3>>& triangles);

// Reads with tinyobjloader; polygons are triangulated, lines and points left out. Throws std::runtime_error naming
// field and remedy, and the face or vertex by its number in the file.
ObjMesh parse_obj(std::string_view text, const ResourceReader& resources);

// Gives every corner without a normal one: the mean, weighted by area, of those faces around its position that lie
// within 45 degrees of its own face. Edges of boxes stay sharp and curved surfaces become smooth.
void add_missing_normals(ObjMesh& mesh);

}  // namespace brokkr
