// Reads and writes scenes: Wavefront OBJ with MTL materials and textures (tinyobjloader, stb_image).
//
// tinyobjloader parses the vertices and faces. It takes `f 1/ 2/ 3/` for other corners, words that are no numbers for
// 0, and knows neither byte order marks, joined lines, comments behind words nor lists of names, and it says nothing of
// what it leaves out, nor where (2.0.0rc10). Therefore a pass in front of it (ObjStream, obj_parse.cpp) hands it one
// plain line after another, knows which line that is, and reads `usemtl` and `mtllib`; obj_text.cpp reads the
// materials. A second parser would have to be as fast and as well known, and Debian has none.
//
// A file is drawn as far as it can be. Loading::warn names what is left out or guessed, with its line: corners that are
// not in the file, materials and pictures that are missing, lines and points. A vertex that is no number counts only
// where a face uses it. Errors are left for files without a face that can be drawn, and for limits.
//
// Each material becomes one draw of VertexKind::transform, opaque ones first, in the order of the MTL file; those with
// `d` below 1 follow, blended and without depth writes. A picture with an alpha channel, or map_d, discards fragments
// with alpha below 0.5 (foliage), unless the material is blended. Materials with Pr, Pm, or maps of emission, normals,
// roughness or metalness, and meshes with colours of vertices or faces, are drawn as glTF's (metallic_roughness). Faces
// without normals get smooth ones with creases (add_missing_normals), faces without texture coordinates zeros.
// docs/reference/formats.md lists each statement. All errors are std::runtime_error naming file, field and remedy.
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

// The steps of reading. Lines and words of OBJ and MTL files:
class ObjLines {
 public:
  // `text` must stay. A byte order mark is no part of its first line.
  explicit ObjLines(std::string_view text);

  // Goes to the next line; false at the end. Lines end with \n, \r\n or \r; a backslash at the end joins a line and the
  // next one with a blank, except in comments. Throws LimitReached for lines of more than 1 MiB.
  bool next();
  // Without its end and the blanks around it. It lasts until the next call of next().
  std::string_view line() const { return line_; }
  // From 1; of joined lines the first one's.
  uint64_t number() const { return number_; }
  size_t bytes_left() const { return rest_.size(); }

 private:
  std::string_view take_line();

  std::string_view rest_, line_;
  std::string joined_;
  uint64_t number_ = 0, next_number_ = 1;
};

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

std::string_view trimmed(std::string_view text);

// Takes the next word, between blanks, off `rest`; empty at the end.
std::string_view take_word(std::string_view& rest);

// `text` up to a # at its begin or behind a blank, without blanks around it.
std::string_view without_comment(std::string_view text);

// A whole word as a number; false where it is none. Numbers beyond float's range are infinite, those below it 0.
bool parse_number(std::string_view word, float& value);

// Materials, from MTL files. The reader is our own: tinyobjloader's LoadMtl takes missing numbers for 0 and the words
// behind options for names, loses the order of statements that contradict each other (`d`, `Tr`), and does not report
// what it does not know.

// A statement map_…: a picture and how it is read.
struct ObjMap {
  std::string file;                     // as the MTL file has it; empty: none
  std::string short_file;               // the same without what may be a comment behind it
  std::string place;                    // "a.mtl, line 3"
  glm::vec2 scale{1.0f}, offset{0.0f};  // it is read at scale * (u, v) + offset
  bool clamped = false;                 // else it repeats
  float base = 0, gain = 1;             // of -mm: a channel c counts as base + gain * c
  float bump = 1;                       // of -bm
  bool operator==(const ObjMap&) const = default;
};

struct ObjMaterial {
  Material material{.kind = MaterialKind::blinn_phong};  // without textures
  std::string alias;  // a name without the comment that may be behind it; empty: as the name
  ObjMap diffuse, alpha, emission;
  ObjMap normal;               // map_Bump, bump or norm: heights or normals
  ObjMap roughness, metallic;  // map_Pr, map_Pm: grey
  ObjMap packed;               // map_ORM: occlusion, roughness, metalness in red, green, blue
  // The material's colour is that of `diffuse` alone: without the picture it is the default one.
  bool is_picture_alone = false;
};

// Appends the materials of `text`, the file `name`. Statements that mean nothing here are told to Loading::warn, with
// their line.
void read_mtl(std::string_view text, std::string_view name, std::vector<ObjMaterial>& materials, Loading& loading);

// One corner of a triangle: numbers into the mesh's arrays, -1 where there is none.
struct ObjCorner {
  int position = -1, texcoord = -1, normal = -1;
};

struct ObjTriangle {
  std::array<ObjCorner, 3> corners;
  int material = -1;  // into ObjMesh::materials, -1: none was chosen
};

// Positions of corners are in the mesh's array and finite; numbers of their texture coordinates and normals are in
// theirs, which are finite.
struct ObjMesh {
  std::vector<glm::vec3> positions, normals;
  std::vector<glm::vec2> texcoords;
  std::vector<glm::vec3> colors;       // empty, or one per position: as glTF's COLOR_0
  std::vector<glm::vec3> face_colors;  // empty, or one per triangle
  std::vector<ObjTriangle> triangles;  // in the order of the file
  std::vector<ObjMaterial> materials;
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

// Polygons are triangulated. A file of vertices without any face is a point cloud, and has no triangles. What is left
// out is told to Loading::warn with its line. Throws std::runtime_error where no face is left, and LimitReached.
ObjMesh parse_obj(std::string_view text, const ResourceReader& resources, Loading& loading);

// Gives every corner without a normal one: the mean, weighted by area, of those faces around its position that lie
// within 45 degrees of its own face. Edges of boxes stay sharp and curved surfaces become smooth.
void add_missing_normals(ObjMesh& mesh, Loading& loading);

// The scene of a mesh, which PLY and STL files are read into as well: a draw per material, equal corners as one vertex.
// Not validated.
Frame make_frame(ObjMesh mesh, const ResourceReader& resources, const LoadOptions& options, Loading& loading,
                 const ObjLimits& limits = {});

// The scene of a mesh without triangles: a point cloud. Each position is a small solid, LoadOptions::point_size pixels
// wide at the depth of the middle in the first view, so that it is a place in every view. It is lit where the mesh has
// a normal for each position, and else as bright as its colour. Not validated.
Frame make_point_frame(ObjMesh mesh, const LoadOptions& options, Loading& loading);

}  // namespace brokkr
