// Reads and writes scenes: Wavefront OBJ with MTL materials and textures (tinyobjloader, stb_image).
//
// tinyobjloader parses the vertices and faces, but has gaps (2.0.0rc10). It misreads the corners of `f 1/ 2/ 3/`, reads
// words that are not numbers as 0, and does not know byte order marks, joined lines, comments after words, or lists of
// names. It does not report what it leaves out, nor where. Therefore a pass before it (ObjStream, obj_parse.cpp) gives
// it one plain line after another, keeps the number of that line, and reads `usemtl` and `mtllib`; obj_text.cpp reads
// the materials. A second parser would have to be as fast and as well known, and Debian has none.
//
// As much of a file is drawn as possible. Loading::warn names everything that is left out or guessed, with its line:
// corners that are not in the file, missing materials and pictures, lines and points. A vertex that is not a number
// matters only if a face uses it. Errors remain for files without a face that can be drawn, and for limits.
//
// Each material becomes one draw of VertexKind::transform. Opaque draws come first, in the order of the MTL file. Draws
// with `d` below 1 follow, blended and without depth writes. Unless the material is blended, a picture with an alpha
// channel, or map_d, discards fragments with alpha below 0.5 (foliage). Materials with Pr, Pm, or maps of emission,
// normals, roughness or metalness, and meshes with colours of vertices or faces, are drawn like glTF's
// (metallic_roughness). Faces without normals get smooth ones with creases (add_missing_normals); faces without texture
// coordinates get zeros. docs/reference/formats.md lists each statement. All errors are std::runtime_error; their
// messages name file, field and remedy.
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
  uint64_t file_bytes = uint64_t(1) << 30;      // limit for the OBJ file and for each MTL file and texture
  uint64_t texture_pixels = uint64_t(1) << 29;  // limit for all textures together
};

// MTL files and textures are looked up from the folder of `path`.
Frame read_obj(const std::filesystem::path& path, const LoadOptions& options, const ObjLimits& limits = {});

// Does the same for a text in memory; messages use `name` as the file's name.
Frame read_obj(std::string_view text, std::string_view name, const ResourceReader& resources,
               const LoadOptions& options, const ObjLimits& limits = {});

// Writes `path` in the form that read_obj reads, in the frame's order of draws, triangles and vertices, and its
// materials (.mtl) beside it. Textures remain files. Their names are looked up in `texture_folder` and written relative
// to `path`; textures that are not files are left out. Throws std::runtime_error that names `path` for captured
// (clip-space) draws, strips, instances and models other than the identity, and if writing fails. Returns the names of
// textures that read_obj will not read from there, because they do not lie in the folder of `path` or below it.
std::vector<std::string> write_obj(const Frame& frame, const std::filesystem::path& path,
                                   const std::filesystem::path& texture_folder = {});

// The steps of reading. Lines and words of OBJ and MTL files:
class ObjLines {
 public:
  // `text` must outlive this object. A byte order mark is not part of its first line.
  explicit ObjLines(std::string_view text);

  // Goes to the next line. Returns false at the end. Lines end with , \r
  //  or \r. A backslash at the end joins a line and the next one with a blank, except in comments. Throws LimitReached
  //  for lines of more than 1 MiB.
  bool next();
  // The line without its end and the blanks around it. It is valid until the next call of next().
  std::string_view line() const { return line_; }
  // Counts from 1. For joined lines, it is the number of the first line.
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

// Removes the next word, between blanks, from `rest` and returns it; empty at the end.
std::string_view take_word(std::string_view& rest);

// Returns `text` up to a # at its beginning or after a blank, without blanks around it.
std::string_view without_comment(std::string_view text);

// Parses a whole word as a number. Returns false if it is not a number. Numbers above float's range are infinite, and
// those below it are 0.
bool parse_number(std::string_view word, float& value);

// Materials from MTL files. The reader is our own. tinyobjloader's LoadMtl reads missing numbers as 0 and the words
// after options as names, loses the order of statements that contradict each other (`d`, `Tr`), and does not report
// statements that it does not know.

// A statement map_…: a picture and the way in which it is read.
struct ObjMap {
  std::string file;                     // as in the MTL file; empty: none
  std::string short_file;               // the same without the words after a #, which may be a comment
  std::string place;                    // "a.mtl, line 3"
  glm::vec2 scale{1.0f}, offset{0.0f};  // it is read at scale * (u, v) + offset
  bool clamped = false;                 // otherwise it repeats
  float base = 0, gain = 1;             // option -mm: a channel c counts as base + gain * c
  float bump = 1;                       // option -bm
  bool operator==(const ObjMap&) const = default;
};

struct ObjMaterial {
  Material material{.kind = MaterialKind::blinn_phong};  // without textures
  std::string alias;  // the name without the words after a #, which may be a comment; empty: equal to the name
  ObjMap diffuse, alpha, emission;
  ObjMap normal;               // map_Bump, bump or norm: heights or normals
  ObjMap roughness, metallic;  // map_Pr, map_Pm: grey
  ObjMap packed;               // map_ORM: occlusion, roughness, metalness in red, green, blue
  // The material's colour is that of `diffuse` alone: without the picture it is the default one.
  bool is_picture_alone = false;
};

// Appends the materials of `text`, the content of the file `name`. Reports statements that mean nothing here to
// Loading::warn, with their line.
void read_mtl(std::string_view text, std::string_view name, std::vector<ObjMaterial>& materials, Loading& loading);

// One corner of a triangle: numbers into the mesh's arrays, -1 if it has none.
struct ObjCorner {
  int position = -1, texcoord = -1, normal = -1;
};

struct ObjTriangle {
  std::array<ObjCorner, 3> corners;
  int material = -1;  // index into ObjMesh::materials, -1: none was chosen
};

// A mesh. All numbers of corners are valid: positions, texture coordinates and normals that they refer to exist and are
// finite.
struct ObjMesh {
  std::vector<glm::vec3> positions, normals;
  std::vector<glm::vec2> texcoords;
  std::vector<glm::vec3> colors;       // empty, or one per position, like glTF's COLOR_0
  std::vector<glm::vec3> face_colors;  // empty, or one per triangle
  std::vector<ObjTriangle> triangles;  // in the order of the file
  std::vector<ObjMaterial> materials;
};

// Throws if no memory is left for the mesh to grow; `field` is the part that grows.
void check_mesh(const ObjMesh& mesh, const Loading& loading, std::string_view field);

inline constexpr size_t kMaxPolygon = 1024;  // corners
inline constexpr size_t kMaxTriangles = size_t(1) << 26;
// Returns true if the value is finite and at most 1e15, so that squares of differences are finite.
bool is_usable(const glm::vec3& value);

// Appends the triangles of a simple, possibly concave polygon of at least three corners to `triangles`, as numbers of
// corners that keep the polygon's orientation: always corners.size() - 2 of them. It clips ears in the polygon's own
// plane (Newell's normal). If no ear is left (self-intersection, no area), the rest becomes a fan. In the worst case,
// the time grows with the third power of the number of corners; if `loading` is given, it may stop this.
void triangulate(std::span<const glm::vec3> corners, std::vector<std::array<uint32_t, 3>>& triangles,
                 Loading* loading = nullptr);

// Triangulates polygons. A file of vertices without any face is a point cloud, and has no triangles. Reports everything
// that is left out to Loading::warn, with its line. Throws std::runtime_error if no face is left, and LimitReached.
ObjMesh parse_obj(std::string_view text, const ResourceReader& resources, Loading& loading);

// Gives every corner without a normal one. It is the mean, weighted by area, of those faces around its position that
// lie within 45 degrees of its own face. Edges of boxes stay sharp, and curved surfaces become smooth.
void add_missing_normals(ObjMesh& mesh, Loading& loading);

// Makes the scene of a mesh, also of one from a PLY or STL file: one draw per material, and equal corners as one
// vertex. The frame is not validated.
Frame make_frame(ObjMesh mesh, const ResourceReader& resources, const LoadOptions& options, Loading& loading,
                 const ObjLimits& limits = {});

// Makes the scene of a mesh without triangles: a point cloud. Each position becomes a small solid,
// LoadOptions::point_size pixels wide at the depth of the middle in the first view, so that it is in the same place in
// every view. It is lit if the mesh has a normal for each position; otherwise it is as bright as its colour. The frame
// is not validated.
Frame make_point_frame(ObjMesh mesh, const LoadOptions& options, Loading& loading);

}  // namespace brokkr
