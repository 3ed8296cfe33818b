// Reads and writes scenes: Wavefront OBJ with MTL materials and textures (tinyobjloader, stb_image).
//
// Each material becomes one draw of VertexKind::transform, opaque ones first, in the order of the MTL file; those with
// `d` below 1 follow, blended and without depth writes. Read from MTL: Kd, Ks, Ke, Ns, d or Tr, map_Kd, map_d. A
// picture with an alpha channel, or map_d, discards fragments with alpha below 0.5 (foliage), unless the material is
// blended. Faces without normals get smooth ones with creases (add_missing_normals), faces without texture coordinates
// zeros. Where an MTL file or a texture is missing, its surfaces are drawn without it, and LoadOptions::warning says
// so. All errors are std::runtime_error naming file, field and remedy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/loading.h"
#include "brokkr/frame.h"
#include "brokkr/load.h"
#include "formats/resources.h"

namespace brokkr {

struct ObjLimits {
  uint64_t file_bytes = uint64_t(1) << 30;      // of the OBJ file and of each MTL file and texture
  uint64_t texture_pixels = uint64_t(1) << 29;  // of all textures together
};

// MTL files and textures are looked up from the folder of `path`.
Frame read_obj(const std::filesystem::path& path, const LoadOptions& options, const ObjLimits& limits = {});

// The same for a text in memory; `name` stands for the file in messages.
Frame read_obj(std::string_view text, std::string_view name, const ResourceReader& resources,
               const LoadOptions& options, const ObjLimits& limits = {});

// Writes what read_obj reads, in the frame's order of draws, triangles and vertices: `path` and, beside it, its
// materials (.mtl). Textures stay files: their names are taken to lie in `texture_folder` and are written relative to
// `path`; those that are no files are left out. Throws std::runtime_error naming `path` for captured (clip-space)
// draws, strips, instances and models other than the identity, and where writing fails. Returns the names of those
// textures that read_obj will not read from there: they lie elsewhere than in the folder of `path` and below it.
std::vector<std::string> write_obj(const Frame& frame, const std::filesystem::path& path,
                                   const std::filesystem::path& texture_folder = {});

// What follows are the steps of reading. One corner of a triangle: numbers into the mesh's arrays, -1 where there is
// none.
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
  std::vector<std::string> missing;  // MTL files: a line about each
};

// Throws where a mesh that grows has no room left in memory; `field` is what it grows by.
void check_mesh(const ObjMesh& mesh, const Loading& loading, std::string_view field);

inline constexpr size_t kMaxPolygon = 1024;  // corners
inline constexpr size_t kMaxTriangles = size_t(1) << 26;
// Finite and at most 1e15, so that squares of differences stay finite.
bool is_usable(const glm::vec3& value);

// Appends the triangles of a simple, possibly concave polygon of at least three corners to `triangles`, as numbers of
// corners that keep the polygon's orientation: always corners.size() - 2 of them. Ear clipping in the polygon's own
// plane (Newell's normal). Where no ear is left (self-intersection, no area) the rest becomes a fan. It takes a time
// that grows with the third power of the corners at worst; `loading`, where it is given, is asked meanwhile.
void triangulate(std::span<const glm::vec3> corners, std::vector<std::array<uint32_t, 3>>& triangles,
                 Loading* loading = nullptr);

// Reads with tinyobjloader; polygons are triangulated, lines and points left out. Throws std::runtime_error naming
// field and remedy, and the face or vertex by its number in the file.
ObjMesh parse_obj(std::string_view text, const ResourceReader& resources, Loading& loading);

// Gives every corner without a normal one: the mean, weighted by area, of those faces around its position that lie
// within 45 degrees of its own face. Edges of boxes stay sharp and curved surfaces become smooth.
void add_missing_normals(ObjMesh& mesh, Loading& loading);

// The scene of a mesh, which PLY and STL files are read into as well: a draw per material, equal corners as one vertex.
// Not validated.
Frame make_frame(ObjMesh mesh, const ResourceReader& resources, const LoadOptions& options, Loading& loading,
                 const ObjLimits& limits = {});

}  // namespace brokkr
