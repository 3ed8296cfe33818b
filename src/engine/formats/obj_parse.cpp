#include <tiny_obj_loader.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <glm/geometric.hpp>
#include <istream>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <streambuf>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/growth.h"
#include "formats/obj.h"

namespace brokkr {
namespace {

constexpr size_t kMaxLibraries = 64;  // MTL files of one OBJ file
constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

// The statements of an OBJ line, without the numbers that tinyobjloader reads.
struct ObjStatements {
  virtual ~ObjStatements() = default;
  // Announces the next vertex that tinyobjloader gets: whether it is valid, and its colour.
  virtual void expect_vertex(bool usable, const std::optional<glm::vec3>& color) = 0;
  virtual void use_material(std::string_view name) = 0;
  virtual void use_library(std::string_view names) = 0;
};

// The file in the form that tinyobjloader understands. tinyobjloader gets one line at a time; while it handles a line,
// number() is that line's number in the file.
class ObjStream : public std::streambuf {
 public:
  ObjStream(std::string_view text, ObjStatements& statements, Loading& loading)
      : lines_(text), all_(text.size()), statements_(statements), loading_(loading) {}
  uint64_t number() const { return lines_.number(); }

 protected:
  int_type underflow() override {
    while (lines_.next()) {
      loading_.step(all_ - lines_.bytes_left(), all_);
      if (!take(lines_.line())) continue;
      plain_ += '\n';
      setg(plain_.data(), plain_.data(), plain_.data() + plain_.size());
      return traits_type::to_int_type(plain_[0]);
    }
    return traits_type::eof();
  }

 private:
  // Returns true if tinyobjloader must get a line, which is then in plain_.
  bool take(std::string_view line) {
    if (line.empty() || line[0] == '#') return false;
    const char second = line.size() > 1 ? line[1] : ' ', third = line.size() > 2 ? line[2] : ' ';
    if (line[0] == 'v' && is_blank(second)) return take_vertex(line);
    if (line[0] == 'v' && (second == 'n' || second == 't') && is_blank(third)) {
      plain_.assign(line.substr(0, line.find('#')));
      return true;
    }
    if (line[0] == 'f' && (is_blank(second) || (second == 'o' && is_blank(third)))) return take_face(line);
    take_statement(line);
    return false;
  }

  bool take_vertex(std::string_view line) {
    constexpr size_t kMaxValues = 8;
    plain_.assign(line);
    // The common line is v and three plain numbers.
    size_t words = 0, place = 1;
    bool plain = true;
    while (place < line.size()) {
      while (place < line.size() && is_blank(line[place])) ++place;
      if (place == line.size()) break;
      bool is_number = false;
      for (; place < line.size() && !is_blank(line[place]); ++place) {
        const char c = line[place];
        const bool is_digit = c >= '0' && c <= '9';
        is_number |= is_digit;
        plain &= is_digit || c == '-' || c == '.' || c == '+' || c == 'e' || c == 'E';
      }
      plain &= is_number;
      words++;
    }
    if (plain && words == 3) {
      statements_.expect_vertex(true, std::nullopt);
      return true;
    }
    std::array<float, kMaxValues> values{};
    size_t count = 0;
    std::string_view rest = line.substr(1, line.find('#') - 1);
    std::string_view bad;
    while (count < kMaxValues && bad.empty()) {
      const std::string_view word = take_word(rest);
      if (word.empty()) break;
      if (!parse_number(word, values[count])) {
        bad = word;
      } else {
        count++;
      }
    }
    if (!bad.empty() && count >= 3) {
      loading_.warn("v word", "line {}: '{}' after a vertex is not a number; left out", number(), bad.substr(0, 40));
    } else if (count == 4 && values[3] != 1) {
      loading_.warn("v w", "line {}: weights of vertices are not supported", number());
    } else if (count == 5 || count > 7) {
      loading_.warn("v many", "line {}: the words after a vertex are not a colour; left out", number());
    }
    plain_.assign(line.substr(0, line.find('#')));
    if (count < 3) plain_ = "v 0 0 0";
    std::optional<glm::vec3> color;
    if (count == 6 || count == 7) color = glm::vec3(values[3], values[4], values[5]);
    statements_.expect_vertex(count >= 3, color);
    return true;
  }

  // tinyobjloader reads numbers of 32 bits and does not report longer ones, ignores a blank after a slash, and reads
  // all corners of a face before it passes them on.
  bool take_face(std::string_view line) {
    constexpr size_t kSafeDigits = 9;
    size_t words = 0, digits = 0, slashes = 0;
    const bool is_outline = line.starts_with("fo");  // an old name of a face
    bool plain = !is_outline;
    char last = ' ';
    for (const char c : line.substr(1)) {
      if (c >= '0' && c <= '9') {
        plain &= ++digits <= kSafeDigits;
      } else if (is_blank(c)) {
        plain &= last != '/' && last != '-';
      } else if (c == '/') {
        plain &= last != ' ' && last != '-' && ++slashes <= 2;
      } else {
        plain &= c == '-' && (last == ' ' || last == '/');
      }
      if (last == ' ' && !is_blank(c)) {
        words++;
        slashes = 0;
      }
      if (!(c >= '0' && c <= '9')) digits = 0;
      last = is_blank(c) ? ' ' : c;
    }
    if (words > kMaxPolygon && line.find('#') == std::string_view::npos) refuse_polygon();
    if (plain && last != '/' && last != '-') {
      plain_.assign(line);
      return true;
    }
    plain_ = "f";
    std::string_view rest = line.substr(is_outline ? 2 : 1);
    rest = rest.substr(0, rest.find('#'));
    size_t corners = 0;
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
      if (++corners > kMaxPolygon) refuse_polygon();
      if (add_corner(word)) continue;
      loading_.warn("f word", "line {}: '{}' is not a corner; the face is left out", number(), word.substr(0, 40));
      return false;
    }
    return corners > 0;
  }

  [[noreturn]] void refuse_polygon() const {
    fail_limit("field 'line {}': a face has more than 1024 corners; triangulate the model", number());
  }

  // A corner is v, v/t, v//n or v/t/n, where t and n may be missing after their slashes.
  bool add_corner(std::string_view word) {
    std::array<int32_t, 3> numbers{};
    for (size_t i = 0; i < 3; i++) {
      const std::string_view part = word.substr(0, word.find('/'));
      word.remove_prefix(std::min(part.size() + 1, word.size()));
      if (part.empty()) continue;
      const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), numbers[i]);
      if (end != part.data() + part.size() || error == std::errc::invalid_argument) return false;
      if (error != std::errc()) numbers[i] = part[0] == '-' ? -2147483647 : 2147483647;  // larger than any file's count
    }
    if (!word.empty()) return false;
    plain_ += fmt::format(" {}", numbers[0]);
    if (numbers[1] != 0) plain_ += fmt::format("/{}", numbers[1]);
    if (numbers[2] != 0) plain_ += fmt::format("{}{}", numbers[1] != 0 ? "/" : "//", numbers[2]);
    return true;
  }

  void take_statement(std::string_view line) {
    static const std::set<std::string_view> kSilent = {
        "g", "o", "s", "mg", "lod", "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj", "end"};
    std::string_view rest = line;
    const std::string_view word = take_word(rest);
    rest = trimmed(rest);
    if (word == "usemtl") return statements_.use_material(rest);
    if (word == "mtllib") return statements_.use_library(rest);
    if (kSilent.contains(word)) return;
    const char* const what =
        word == "l" || word == "p" ? "lines and points are not drawn" : "the statement is left out";
    loading_.warn(word == "p" ? "l" : word.substr(0, 40), "line {}: '{}': {}", number(), word.substr(0, 40), what);
  }

  ObjLines lines_;
  size_t all_;
  ObjStatements& statements_;
  Loading& loading_;
  std::string plain_;
};

// Receives the lines of the file.
class Parser : public ObjStatements {
 public:
  Parser(std::string_view text, const ResourceReader& resources, Loading& loading)
      : stream_(text, *this, loading), resources_(resources), loading_(loading) {}

  size_t faces() const { return faces_; }

  ObjMesh parse() {
    tinyobj::callback_t callbacks;
    callbacks.vertex_cb = [](void* self, float x, float y, float z, float) { to(self).add_position({x, y, z}); };
    callbacks.normal_cb = [](void* self, float x, float y, float z) { to(self).add_normal({x, y, z}); };
    callbacks.texcoord_cb = [](void* self, float u, float v, float) { to(self).add_texcoord({u, v}); };
    callbacks.index_cb = [](void* self, tinyobj::index_t* indices, int count) {
      to(self).add_face(std::span(indices, size_t(count)));
    };
    std::istream in(&stream_);
    in.exceptions(std::ios::badbit);  // passes on what `loading` throws
    std::string warning, error;
    if (!tinyobj::LoadObjWithCallback(in, callbacks, this, nullptr, &warning, &error)) {
      fail("field 'file': it cannot be parsed ({}); export it again", error.substr(0, error.find('\n')));
    }
    add_late_faces();
    name_materials();
    scale_colors();
    return std::move(mesh_);
  }

  void expect_vertex(bool usable, const std::optional<glm::vec3>& color) override {
    expects_vertex_ = usable;
    if (!color && mesh_.colors.empty()) return;
    // Earlier vertices have no colour yet.
    if (mesh_.colors.empty())
      fill_in_steps(mesh_.colors, mesh_.positions.size(), glm::vec3(1), [&] { loading_.look(); });
    push_in_steps(mesh_.colors, color && is_usable(*color) ? glm::max(*color, glm::vec3(0)) : glm::vec3(1), loading_);
  }

  void use_material(std::string_view name) override {
    const auto [found, is_new] = used_.emplace(std::string(name), int(names_.size()));
    if (is_new) names_.push_back({std::string(name), stream_.number()});
    material_ = found->second;
  }

  // One name, which may contain blanks, or several names.
  void use_library(std::string_view names) override {
    if (names.size() > 1 && names.front() == '"' && names.back() == '"') names = names.substr(1, names.size() - 2);
    std::string_view rest = without_comment(names);
    if (rest.empty()) {
      return loading_.warn("mtllib", "line {}: mtllib does not name a file; drawn with the default material",
                           stream_.number());
    }
    const std::string whole(rest);
    std::vector<std::string> parts;
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) parts.emplace_back(word);
    if (read_library(whole, parts.size() > 1)) return;
    if (parts.size() == 1) return;
    bool found = false;
    for (const std::string& part : parts) found |= read_library(part, true);
    if (!found) read_library(whole, false);
    for (const std::string& part : parts) {
      if (found) read_library(part, false);
    }
  }

 private:
  struct UsedName {
    std::string name;
    uint64_t line;
  };
  // A face that refers to vertices which come later in the file.
  struct LateFace {
    size_t before;  // the triangle that follows it
    size_t corners, count;
    uint64_t line;
    int material;
  };

  static Parser& to(void* self) { return *static_cast<Parser*>(self); }

  // Reads each file once. `quiet`: a missing file is not reported.
  bool read_library(const std::string& name, bool quiet) {
    if (libraries_.contains(name)) return libraries_[name];
    std::vector<std::byte> content;
    try {
      content = resources_(name, loading_);
    } catch (const MissingResource& problem) {
      if (quiet) return false;
      loading_.warn("mtllib " + name, "line {}: {}; drawn with the default material", stream_.number(), problem.what());
      return libraries_[name] = false;
    }
    if (libraries_.size() >= kMaxLibraries) fail_limit("field 'mtllib': there are more than 64; merge the MTL files");
    loading_.check(content.size(), "mtllib");
    try {
      read_mtl(as_text(content), name, mesh_.materials, loading_);
    } catch (const LimitReached& problem) {
      fail_limit("{}: {}", name, problem.what());
    } catch (const std::runtime_error& problem) {
      loading_.warn("mtllib " + name, "{}: {}; drawn with the default material", name, problem.what());
      return libraries_[name] = false;
    }
    return libraries_[name] = true;
  }

  // A value that is not a number, or cannot be drawn, matters only if a face uses it.
  void add_position(const glm::vec3& position) {
    if (mesh_.positions.size() % kCheckEvery == 0) check_mesh(mesh_, loading_, "v");
    const bool usable = expects_vertex_ && is_usable(position);
    push_in_steps(mesh_.positions, usable ? position : glm::vec3(kMissing), loading_);
    if (!usable && !bad_line_) bad_line_ = stream_.number();
  }

  // Normals without a length, and values that are not numbers, are replaced as if they were missing.
  void add_normal(const glm::vec3& normal) {
    const float length = is_usable(normal) ? glm::length(normal) : 0.0f;
    push_in_steps(mesh_.normals, length > 1e-12f ? normal / length : glm::vec3(0), loading_);
  }

  void add_texcoord(const glm::vec2& texcoord) {
    push_in_steps(mesh_.texcoords, is_usable(glm::vec3(texcoord, 0)) ? texcoord : glm::vec2(0), loading_);
  }

  // Converts the file's numbering, which counts from 1 or backwards from -1, to the array's. Returns -1 if the index is
  // missing, and kBefore if it is before the first element.
  static int resolved(int index, size_t count) {
    if (index >= 0) return index - 1;
    const int64_t number = int64_t(count) + index;
    return number < 0 ? kBefore : int(number);
  }

  void add_face(std::span<const tinyobj::index_t> indices) {
    if (++faces_ % kCheckEvery == 0) check_mesh(mesh_, loading_, "f");
    corners_.clear();
    bool late = false;
    for (const tinyobj::index_t& index : indices) {
      const ObjCorner corner{resolved(index.vertex_index, mesh_.positions.size()),
                             resolved(index.texcoord_index, mesh_.texcoords.size()),
                             resolved(index.normal_index, mesh_.normals.size())};
      late |= corner.position >= int64_t(mesh_.positions.size()) ||
              corner.texcoord >= int64_t(mesh_.texcoords.size()) || corner.normal >= int64_t(mesh_.normals.size());
      corners_.push_back(corner);
    }
    if (!late) return finish_face(mesh_.triangles, corners_, stream_.number(), material_);
    loading_.check(3 * (late_faces_.size() * sizeof(LateFace) + late_corners_.size() * sizeof(ObjCorner)), "f");
    push_in_steps(late_faces_,
                  {mesh_.triangles.size(), late_corners_.size(), corners_.size(), stream_.number(), material_},
                  loading_);
    for (const ObjCorner& corner : corners_) push_in_steps(late_corners_, corner, loading_);
  }

  // Appends the triangles of a face. Everything that the face refers to either exists or is missing.
  void finish_face(std::vector<ObjTriangle>& triangles, std::span<ObjCorner> corners, uint64_t line, int material) {
    if (corners.size() < 3) {
      return loading_.warn("f few", "line {}: a face with fewer than three corners is left out", line);
    }
    points_.clear();
    for (ObjCorner& corner : corners) {
      if (corner.position < 0 || size_t(corner.position) >= mesh_.positions.size()) {
        return loading_.warn("f vertex", "line {}: vertex {} is not among the {}; the face is left out", line,
                             corner.position == -1 ? 0 : corner.position + 1, mesh_.positions.size());
      }
      const glm::vec3& position = mesh_.positions[size_t(corner.position)];
      if (std::isnan(position.x)) {
        return loading_.warn(
            "f nan",
            "line {}: a face's vertex {} is not finite, not a number or beyond 1e15 (the first is in line "
            "{}); the face is left out",
            line, corner.position + 1, bad_line_.value_or(0));
      }
      points_.push_back(position);
      drop_missing(corner.texcoord, mesh_.texcoords.size(), "texture coordinate", line);
      drop_missing(corner.normal, mesh_.normals.size(), "normal", line);
      if (corner.normal >= 0 && mesh_.normals[size_t(corner.normal)] == glm::vec3(0)) corner.normal = -1;
    }
    if (triangles.size() + corners.size() > kMaxTriangles) {
      fail_limit("field 'line {}': there are more than 67 million triangles; split the model", line);
    }
    triangles_.clear();
    triangulate(points_, triangles_, &loading_);
    for (const auto& [a, b, c] : triangles_) {
      push_in_steps(triangles, {{corners[a], corners[b], corners[c]}, material}, loading_);
    }
  }

  void drop_missing(int& number, size_t count, const char* what, uint64_t line) {
    if (number == -1 || (number >= 0 && size_t(number) < count)) return;
    loading_.warn(what, "line {}: {} {} is not among the {}; drawn without it", line, what,
                  number == kBefore ? "before the first" : fmt::format("{}", int64_t(number) + 1), count);
    number = -1;
  }

  void add_late_faces() {
    if (late_faces_.empty()) return;
    std::vector<ObjTriangle> all;
    size_t taken = 0;
    const auto take_until = [&](size_t end) {
      for (; taken < end; taken++) push_in_steps(all, mesh_.triangles[taken], loading_);
    };
    for (const LateFace& face : late_faces_) {
      loading_.step();
      take_until(face.before);
      finish_face(all, std::span(late_corners_).subspan(face.corners, face.count), face.line, face.material);
    }
    take_until(mesh_.triangles.size());
    mesh_.triangles = std::move(all);
  }

  // Replaces names of materials by numbers, because a file may name MTL files after their materials are used.
  void name_materials() {
    std::map<std::string_view, int> number_of;
    for (size_t i = 0; i < mesh_.materials.size(); i++) {
      const std::string& name = mesh_.materials[i].material.name;
      if (!number_of.emplace(name, int(i)).second) {
        loading_.warn("newmtl twice", "material '{}' is defined twice; the first one is used", name.substr(0, 60));
      }
    }
    for (size_t i = 0; i < mesh_.materials.size(); i++) {
      if (!mesh_.materials[i].alias.empty()) number_of.emplace(mesh_.materials[i].alias, int(i));
    }
    std::vector<int> numbers;
    for (const UsedName& used : names_) {
      auto found = number_of.find(used.name);
      if (found == number_of.end()) found = number_of.find(without_comment(used.name));
      // In "red#comment", the # may be part of the name, as in SketchUp's files, so we try the whole name first.
      if (found == number_of.end())
        found = number_of.find(trimmed(std::string_view(used.name).substr(0, used.name.find('#'))));
      numbers.push_back(found == number_of.end() ? -1 : found->second);
    }
    std::vector<bool> is_used(names_.size());
    for (ObjTriangle& triangle : mesh_.triangles) {
      loading_.step();
      if (triangle.material < 0) continue;
      is_used[size_t(triangle.material)] = true;
      triangle.material = numbers[size_t(triangle.material)];
    }
    // If a file is missing, so are all of its materials, and a warning has already named the file.
    const bool known_missing = std::ranges::any_of(libraries_, [](const auto& one) { return !one.second; });
    for (size_t i = 0; i < names_.size(); i++) {
      if (!is_used[i] || numbers[i] >= 0 || known_missing) continue;
      loading_.warn("usemtl " + names_[i].name, "line {}: material '{}' is in {}; drawn with the default material",
                    names_[i].line, names_[i].name.substr(0, 60),
                    libraries_.empty() ? "no MTL file, because none is named" : "none of the MTL files");
    }
  }

  // Some programs write colours from 0 to 255.
  void scale_colors() {
    float max_color = 0;
    for (const glm::vec3& color : mesh_.colors) max_color = std::max({max_color, color.x, color.y, color.z});
    if (max_color > 1)
      loading_.warn("v color", "colours of vertices go up to {}; they are taken as parts of 255", max_color);
    for (glm::vec3& color : mesh_.colors) color = glm::min(color / (max_color > 1 ? 255.0f : 1.0f), glm::vec3(1));
  }

  static constexpr size_t kCheckEvery = 1024;
  static constexpr int kBefore = -2;

  ObjStream stream_;
  const ResourceReader& resources_;
  Loading& loading_;
  ObjMesh mesh_;
  std::map<std::string, bool> libraries_;  // by name; true if it was read
  std::map<std::string, int> used_;        // indices into names_
  std::vector<UsedName> names_;
  size_t faces_ = 0;
  int material_ = -1;  // index into names_ while the file is read
  bool expects_vertex_ = true;
  std::optional<uint64_t> bad_line_;
  std::vector<ObjCorner> corners_, late_corners_;
  std::vector<LateFace> late_faces_;
  std::vector<glm::vec3> points_;
  std::vector<std::array<uint32_t, 3>> triangles_;
};

}  // namespace

ObjMesh parse_obj(std::string_view text, const ResourceReader& resources, Loading& loading) {
  Parser parser(text, resources, loading);
  ObjMesh mesh = parser.parse();
  if (!mesh.triangles.empty() || (parser.faces() == 0 && !mesh.positions.empty())) return mesh;
  const std::vector<std::string> warnings = loading.warnings();
  if (warnings.empty()) fail("field 'f': there are no faces; name an OBJ file with faces");
  fail("field 'f': there are no faces that can be drawn ({}); export the file again", warnings[0]);
}

}  // namespace brokkr
