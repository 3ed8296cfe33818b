#include "formats/obj.h"

#include <tiny_obj_loader.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <glm/geometric.hpp>
#include <map>
#include <numeric>
#include <sstream>
#include <streambuf>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/growth.h"
#include "formats/triangle_graph.h"

namespace brokkr {
namespace {

constexpr size_t kMaxLibraries = 64;  // MTL files of one OBJ file

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

std::string texture_name(const std::string& name) {
  std::string result = trimmed(name);
  std::replace(result.begin(), result.end(), '\\', '/');  // written on Windows
  return result;
}

// Finite, not negative: what lighting can use.
glm::vec3 to_color(const float* values) {
  glm::vec3 color(0.0f);
  for (int i = 0; i < 3; i++) color[i] = values[i] > 0 ? std::min(values[i], 1e6f) : 0.0f;
  return color;
}

ObjMaterial to_material(const tinyobj::material_t& source) {
  ObjMaterial result{.diffuse_texture = texture_name(source.diffuse_texname),
                     .alpha_texture = texture_name(source.alpha_texname)};
  Material& material = result.material;
  material.name = trimmed(source.name);
  material.kind = MaterialKind::blinn_phong;
  material.diffuse = to_color(source.diffuse);
  material.specular = to_color(source.specular);
  material.emission = to_color(source.emission);
  material.shininess = source.shininess >= 1 ? std::min(source.shininess, 1e4f) : 1.0f;
  material.opacity = source.dissolve >= 0 ? std::min(source.dissolve, 1.0f) : 0.0f;
  // An MTL file with a picture and without Kd means the picture's own colours: Kd is then 1.
  if (!result.diffuse_texture.empty() && material.diffuse == glm::vec3(0)) material.diffuse = glm::vec3(1);
  return result;
}

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

// A text as a stream, which asks `loading` now and then whether to go on, and tells it how far the main file was read.
class WatchedStream : public std::streambuf {
 public:
  enum class Part : uint8_t { main, beside };
  WatchedStream(std::string_view text, Loading& loading, Part part = Part::main)
      : text_(text), loading_(loading), part_(part) {}

 protected:
  int_type underflow() override {
    constexpr size_t kStep = size_t(1) << 14;
    if (read_ == text_.size()) return traits_type::eof();
    loading_.look(part_ == Part::main ? read_ : 0, text_.size());
    const size_t size = std::min(kStep, text_.size() - read_);
    char* const begin = const_cast<char*>(text_.data() + read_);  // it is not written to: there is no pbackfail
    setg(begin, begin, begin + size);
    read_ += size;
    return traits_type::to_int_type(*begin);
  }

 private:
  std::string_view text_;
  Loading& loading_;
  Part part_;
  size_t read_ = 0;
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// The next line of `text`, which is taken off. A line that is longer would be taken in at once.
std::string_view next_line(std::string_view& text, uint64_t number) {
  constexpr size_t kMostLine = size_t(1) << 20;
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  if (line.size() > kMostLine) fail("field 'line {}': it has more than 1048576 bytes; export the file again", number);
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

// Whether `line` begins with `word`, as tinyobjloader sees it.
bool has_word(std::string_view line, std::string_view word) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line.size() > word.size() && line.starts_with(word) && is_blank(line[word.size()]);
}

[[noreturn]] void refuse_polygon(uint64_t face) {
  fail("field 'f {}': it has more than 1024 corners; triangulate the model", face);
}

// tinyobjloader reads numbers of 32 bits and says nothing where a longer one does not fit, and it takes in all corners
// of a face before it hands them over.
void check_face(std::string_view line, uint64_t face) {
  constexpr size_t kSafeDigits = 9;
  size_t words = 0;  // with that of the line
  for (size_t at = 0; at < line.size();) {
    const std::string_view rest = line.substr(at);
    const std::string_view digits = rest.substr(0, rest.find_first_not_of("0123456789"));
    if (!is_blank(rest[0]) && (at == 0 || is_blank(line[at - 1])) && ++words > kMaxPolygon + 1) refuse_polygon(face);
    at += std::max<size_t>(digits.size(), 1);
    if (digits.size() <= kSafeDigits) continue;
    int32_t value = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc()) continue;
    fail("field 'f {}': index {} is beyond 2147483647; export the file again", face, digits.substr(0, 40));
  }
}

// It also takes what is no number, as nan, for 0.
void check_vertex(std::string_view line, uint64_t vertex) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_sign = [](char c) { return c == '-' || c == '.' || c == '+' || c == 'e' || c == 'E'; };
  const char *at = line.data() + line.find('v') + 1, *const end = line.data() + line.size();
  for (int axis = 0; axis < 3; axis++) {
    while (at != end && is_blank(*at)) ++at;
    const char* const word = at;
    bool is_number = false;
    for (; at != end && (is_digit(*at) || is_sign(*at)); ++at) is_number |= is_digit(*at);
    if (is_number && (at == end || is_blank(*at))) continue;
    while (at != end && !is_blank(*at)) ++at;
    if (at == word) fail("field 'v {}': it has less than three coordinates; export the file again", vertex);
    const std::string_view text(word, size_t(at - word));
    fail("field 'v {}': '{}' is no number; export the file again", vertex, text.substr(0, 40));
  }
}

void check_lines(std::string_view text, Loading& loading) {
  const size_t all = text.size();
  for (uint64_t lines = 1, faces = 0, vertices = 0; !text.empty(); lines++) {
    loading.step(all - text.size(), all);
    const std::string_view line = next_line(text, lines);
    if (has_word(line, "f")) check_face(line, ++faces);
    if (has_word(line, "v")) check_vertex(line, ++vertices);
  }
}

// What tinyobjloader makes of an MTL file, and what becomes of it here, while lists grow by copies.
uint64_t bytes_of_materials(std::string_view text, Loading& loading) {
  constexpr uint64_t kGrowth = 3, kNode = 96, kLine = 2 * kNode;  // a line that is not known is kept as two strings
  constexpr uint64_t kMaterial = kGrowth * (sizeof(tinyobj::material_t) + sizeof(ObjMaterial)) + 2 * kNode;
  uint64_t materials = 1, lines = 1;
  for (; !text.empty(); lines++) {
    loading.step();
    if (has_word(next_line(text, lines), "newmtl")) materials++;
  }
  return materials * kMaterial + lines * kLine;
}

// Receives the lines of the file from tinyobjloader.
class Parser : public tinyobj::MaterialReader {
 public:
  Parser(const ResourceReader& resources, Loading& loading) : resources_(resources), loading_(loading) {}

  ObjMesh parse(std::string_view text) {
    check_lines(text, loading_);
    tinyobj::callback_t callbacks;
    callbacks.vertex_cb = [](void* self, float x, float y, float z, float) { to(self).add_position({x, y, z}); };
    callbacks.normal_cb = [](void* self, float x, float y, float z) { to(self).add_normal({x, y, z}); };
    callbacks.texcoord_cb = [](void* self, float u, float v, float) { to(self).add_texcoord({u, v}); };
    callbacks.index_cb = [](void* self, tinyobj::index_t* indices, int count) { to(self).add_face(indices, count); };
    callbacks.usemtl_cb = [](void* self, const char* name, int) { to(self).use_material(name); };
    WatchedStream watched(text, loading_);
    std::istream in(&watched);
    in.exceptions(std::ios::badbit);  // what `loading` throws goes on
    std::string warning, error;
    if (!tinyobj::LoadObjWithCallback(in, callbacks, this, this, &warning, &error)) {
      fail("field 'file': it cannot be parsed ({}); export it again", error.substr(0, error.find('\n')));
    }
    return std::move(mesh_);
  }

  // tinyobjloader calls this with the names of a mtllib line; the first file that exists is read.
  bool operator()(const std::string& file, std::vector<tinyobj::material_t>* materials, std::map<std::string, int>* map,
                  std::string* warning, std::string* error) override {
    if (++libraries_ > kMaxLibraries) fail("field 'mtllib': there are more than 64; merge the MTL files");
    std::vector<std::byte> content;
    try {
      content = resources_(texture_name(file), loading_);
    } catch (const MissingResource& problem) {
      mesh_.missing.emplace_back(problem.what());
      return false;
    }
    const std::string_view text = as_text(content);
    loading_.need(text.size() + bytes_of_materials(text, loading_), "newmtl");
    WatchedStream watched(text, loading_, WatchedStream::Part::beside);
    std::istream in(&watched);
    in.exceptions(std::ios::badbit);
    const size_t first = materials->size();
    tinyobj::LoadMtl(map, materials, &in, warning, error);
    for (size_t i = first; i < materials->size(); i++) {
      loading_.step();
      mesh_.materials.push_back(to_material((*materials)[i]));
      number_of_.emplace(mesh_.materials.back().material.name, int(mesh_.materials.size() - 1));
    }
    return true;
  }

 private:
  static Parser& to(void* self) { return *static_cast<Parser*>(self); }

  void add_position(const glm::vec3& position) {
    if (!is_usable(position)) {
      fail("field 'v {}': it is not finite or beyond 1e15; scale the model", mesh_.positions.size() + 1);
    }
    if (mesh_.positions.size() % kCheckEvery == 0) check_mesh(mesh_, loading_, "v");
    push_in_steps(mesh_.positions, position, loading_);
  }

  // Normals without a length, and values that are no number, are replaced as if they were missing.
  void add_normal(const glm::vec3& normal) {
    const float length = is_usable(normal) ? glm::length(normal) : 0.0f;
    push_in_steps(mesh_.normals, length > 1e-12f ? normal / length : glm::vec3(0), loading_);
  }

  void add_texcoord(const glm::vec2& texcoord) {
    push_in_steps(mesh_.texcoords, is_usable(glm::vec3(texcoord, 0)) ? texcoord : glm::vec2(0), loading_);
  }

  // From the file's numbering, from 1 or backwards from -1, to the array's; 0: missing.
  int resolve(int index, size_t count, const char* what) const {
    if (index == 0) return -1;
    const int64_t number = index > 0 ? int64_t(index) - 1 : int64_t(count) + index;
    if (number < 0 || number >= int64_t(count)) {
      fail("field 'f {}': {} {} is not among the {} before it; export the file again", faces_, what, index, count);
    }
    return int(number);
  }

  void add_face(const tinyobj::index_t* indices, int count) {
    faces_++;
    if (faces_ % kCheckEvery == 0) check_mesh(mesh_, loading_, "f");
    if (count < 3) return;  // no area
    if (size_t(count) > kMaxPolygon) refuse_polygon(faces_);
    corners_.clear();
    points_.clear();
    for (int i = 0; i < count; i++) {
      ObjCorner corner;
      corner.position = resolve(indices[i].vertex_index, mesh_.positions.size(), "vertex");
      corner.texcoord = resolve(indices[i].texcoord_index, mesh_.texcoords.size(), "texture coordinate");
      corner.normal = resolve(indices[i].normal_index, mesh_.normals.size(), "normal");
      if (corner.position < 0) fail("field 'f {}': a corner has no vertex; export the file again", faces_);
      if (corner.normal >= 0 && mesh_.normals[size_t(corner.normal)] == glm::vec3(0)) corner.normal = -1;
      corners_.push_back(corner);
      points_.push_back(mesh_.positions[size_t(corner.position)]);
    }
    if (mesh_.triangles.size() + size_t(count) > kMaxTriangles) {
      fail("field 'f {}': there are more than 67 million triangles; split the model", faces_);
    }
    triangles_.clear();
    triangulate(points_, triangles_, &loading_);
    for (const auto& [a, b, c] : triangles_) {
      push_in_steps(mesh_.triangles, {{corners_[a], corners_[b], corners_[c]}, material_}, loading_);
    }
  }

  // Without any MTL file, names of materials mean nothing and everything has the default one.
  void use_material(const char* name) {
    const auto found = number_of_.find(trimmed(name));
    material_ = found == number_of_.end() ? -1 : found->second;
    if (material_ < 0 && libraries_ > 0 && mesh_.missing.empty()) {
      fail("field 'usemtl': material '{}' is in none of the MTL files; add it or rename it", trimmed(name));
    }
  }

  static constexpr size_t kCheckEvery = 1024;

  const ResourceReader& resources_;
  Loading& loading_;
  ObjMesh mesh_;
  std::map<std::string, int> number_of_;
  size_t libraries_ = 0, faces_ = 0;
  int material_ = -1;
  std::vector<ObjCorner> corners_;
  std::vector<glm::vec3> points_;
  std::vector<std::array<uint32_t, 3>> triangles_;
};

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
  loading.check(kGrowth * bytes(mesh.positions, mesh.normals, mesh.texcoords, mesh.triangles), field);
}

ObjMesh parse_obj(std::string_view text, const ResourceReader& resources, Loading& loading) {
  return Parser(resources, loading).parse(text);
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
