#include "formats/ply.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <glm/geometric.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/growth.h"
#include "base/text_scanner.h"
#include "formats/obj.h"
#include "formats/scene_setup.h"

namespace brokkr {
namespace {

enum class Format { ascii, little_endian, big_endian };

struct Type {
  std::string_view name, other_name;
  uint32_t bytes;
  bool is_float, is_signed;
};
constexpr std::array kTypes = {Type{"char", "int8", 1, false, true},    Type{"uchar", "uint8", 1, false, false},
                               Type{"short", "int16", 2, false, true},  Type{"ushort", "uint16", 2, false, false},
                               Type{"int", "int32", 4, false, true},    Type{"uint", "uint32", 4, false, false},
                               Type{"float", "float32", 4, true, true}, Type{"double", "float64", 8, true, true}};

struct Property {
  std::string name;
  const Type* type = nullptr;
  const Type* count_type = nullptr;  // of a list
};

struct Element {
  std::string name;
  uint64_t count = 0;
  std::vector<Property> properties;
};

struct Header {
  Format format = Format::ascii;
  std::vector<Element> elements;
  std::string texture;
};

const Type* find_type(std::string_view name) {
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&](const Type& type) { return name == type.name || name == type.other_name; });
  if (found == kTypes.end()) fail("field 'property': there is no type '{}'; export the file again", name.substr(0, 40));
  return found;
}

Property read_property(TextScanner& line) {
  Property property;
  std::string_view word = line.word();
  if (word == "list") {
    property.count_type = find_type(line.word());
    if (property.count_type->is_float) fail("field 'property': a list is counted by a float; export the file again");
    word = line.word();
  }
  property.type = find_type(word);
  property.name = line.word();
  if (property.name.empty()) fail("field 'property': it has no name; export the file again");
  return property;
}

Format find_format(std::string_view name, std::string_view version) {
  constexpr std::array<std::string_view, 3> kNames = {"ascii", "binary_little_endian", "binary_big_endian"};
  const auto* found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end() || version != "1.0") {
    fail("field 'format': '{} {}' is unknown; save as ascii, binary_little_endian or binary_big_endian 1.0",
         name.substr(0, 40), version.substr(0, 40));
  }
  return Format(found - kNames.begin());
}

// Leaves `text` behind the line end_header.
Header read_header(TextScanner& text) {
  constexpr size_t kMostProperties = 4096;
  Header header;
  size_t properties = 0;
  bool has_format = false;
  if (text.line() != "ply") fail("field 'file': its first line is not 'ply'; name a PLY file");
  while (!text.rest().empty()) {
    TextScanner line(text.line());
    const std::string_view word = line.word();
    if (word == "end_header") {
      if (!has_format) fail("field 'format': it is missing; export the file again");
      return header;
    }
    if (word == "format") {
      const std::string_view name = line.word();
      header.format = find_format(name, line.word());
      has_format = true;
    } else if (word == "element") {
      Element element{.name = std::string(line.word())};
      const auto count = line.number<uint64_t>();
      if (!count) fail("field 'element {}': its number is none; export the file again", element.name.substr(0, 40));
      element.count = *count;
      header.elements.push_back(std::move(element));
    } else if (word == "property") {
      if (header.elements.empty()) fail("field 'property': it belongs to no element; export the file again");
      header.elements.back().properties.push_back(read_property(line));
    } else if (word == "comment" && line.word() == "TextureFile") {
      const std::string_view name = line.line();
      header.texture = name.substr(std::min(name.find_first_not_of(" \t"), name.size()));
    }
    if (++properties > kMostProperties) fail("field 'header': it has more than 4096 lines; export the file again");
  }
  fail("field 'end_header': it is missing; copy the file again");
}

// Values one after another. Each is in the file before it is read.
class Values {
 public:
  Values(std::string_view bytes, Format format) : text_(bytes), bytes_(bytes), format_(format) {}

  double next(const Type& type) {
    if (format_ == Format::ascii) {
      const auto number = text_.number<double>();
      if (!number) fail_here("a value is missing or no number; copy or export the file again");
      return *number;
    }
    if (bytes_.size() - at_ < type.bytes) fail_here("the file ends too early; copy it again");
    uint64_t bits = 0;
    for (uint32_t i = 0; i < type.bytes; i++) {
      const uint32_t shift = 8 * (format_ == Format::little_endian ? i : type.bytes - 1 - i);
      bits |= uint64_t(static_cast<unsigned char>(bytes_[at_ + i])) << shift;
    }
    at_ += type.bytes;
    if (type.is_float)
      return type.bytes == 4 ? double(std::bit_cast<float>(uint32_t(bits))) : std::bit_cast<double>(bits);
    if (!type.is_signed) return double(bits);
    const uint32_t unused = 64 - 8 * type.bytes;
    return double(int64_t(bits << unused) >> unused);
  }

  // A list's length, of which each element takes a byte at least.
  size_t next_count(const Type& type) {
    const double count = next(type);
    if (!(count >= 0 && count <= double(left())) || count != std::floor(count)) {
      fail_here("a list is longer than the file; copy or export it again");
    }
    return size_t(count);
  }

  uint64_t left() const { return format_ == Format::ascii ? text_.rest().size() : bytes_.size() - at_; }

  // What is read next, for messages.
  void begin(const Element& element, uint64_t number) {
    element_ = &element;
    number_ = number;
  }

 private:
  [[noreturn]] void fail_here(const char* problem) const {
    fail("field '{} {}': {}", element_->name.substr(0, 40), number_, problem);
  }

  const Element* element_ = nullptr;
  uint64_t number_ = 0;
  TextScanner text_;
  std::string_view bytes_;
  size_t at_ = 0;
  Format format_;
};

// What a property of a vertex is; `other` ones are skipped.
enum Slot : size_t { kX, kY, kZ, kNormalX, kNormalY, kNormalZ, kU, kV, kRed, kGreen, kBlue, kOther };
constexpr size_t kSlots = kOther + 1;

Slot slot_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Slot>, 18> kNames = {{{"x", kX},
                                                                         {"y", kY},
                                                                         {"z", kZ},
                                                                         {"nx", kNormalX},
                                                                         {"ny", kNormalY},
                                                                         {"nz", kNormalZ},
                                                                         {"s", kU},
                                                                         {"t", kV},
                                                                         {"u", kU},
                                                                         {"v", kV},
                                                                         {"texture_u", kU},
                                                                         {"texture_v", kV},
                                                                         {"red", kRed},
                                                                         {"green", kGreen},
                                                                         {"blue", kBlue},
                                                                         {"diffuse_red", kRed},
                                                                         {"diffuse_green", kGreen},
                                                                         {"diffuse_blue", kBlue}}};
  const auto* found = std::find_if(kNames.begin(), kNames.end(), [&](const auto& pair) { return pair.first == name; });
  return found == kNames.end() ? kOther : found->second;
}

class PlyReader {
 public:
  PlyReader(const Header& header, std::string_view body, Loading& loading)
      : header_(header), values_(body, header.format), loading_(loading) {}

  ObjMesh read() {
    for (const Element& element : header_.elements) {
      if (element.properties.empty()) continue;  // nothing of it is in the file
      if (element.count > values_.left()) {
        fail("field 'element {}': its {} elements are more than the file's bytes; copy or export it again",
             element.name.substr(0, 40), element.count);
      }
      if (element.name == "vertex" && mesh_.positions.empty()) {
        read_vertices(element);
      } else if (element.name == "face" && sizes_.empty()) {
        read_faces(element);
      } else {
        for (uint64_t i = 0; i < element.count; i++) {
          loading_.step(i, element.count);
          skip(element, i);
        }
      }
    }
    if (sizes_.empty()) fail_without_faces();
    add_triangles();
    return std::move(mesh_);
  }

  // Of the vertices that have one, from 0 to 1; nothing without colours.
  std::optional<glm::vec3> mean_color() const {
    if (!has_colors_ || mesh_size_ == 0) return std::nullopt;
    return glm::vec3(color_sum_ / double(mesh_size_));
  }

 private:
  // How far the reading is, and whether there is room for more.
  void watch(uint64_t done, uint64_t all) {
    constexpr uint64_t kCheckEvery = 1024;
    loading_.step(done, all);
    if (done % kCheckEvery != 0) return;
    check_mesh(mesh_, loading_, "vertex");
    loading_.check(3 * sizeof(uint32_t) * (corners_.size() + sizes_.size()), "face");
  }

  void skip(const Element& element, uint64_t number) {
    values_.begin(element, number);
    for (const Property& property : element.properties) skip(property);
  }
  void skip(const Property& property) {
    size_t count = property.count_type ? values_.next_count(*property.count_type) : 1;
    for (; count > 0; count--) {
      loading_.step();
      values_.next(*property.type);
    }
  }

  void read_vertices(const Element& element) {
    std::array<bool, kSlots> has{};
    std::vector<Slot> slots;
    double color_scale = 1;
    for (const Property& property : element.properties) {
      slots.push_back(property.count_type ? kOther : slot_of(property.name));
      has[slots.back()] = true;
      if (slots.back() == kRed && !property.type->is_float) {
        color_scale = std::exp2(8.0 * property.type->bytes) - 1;
      }
    }
    if (!has[kX] || !has[kY] || !has[kZ]) fail("field 'vertex': x, y or z is missing; export the file again");
    has_normals_ = has[kNormalX] && has[kNormalY] && has[kNormalZ];
    has_texcoords_ = has[kU] && has[kV];
    has_colors_ = has[kRed] && has[kGreen] && has[kBlue];
    mesh_size_ = element.count;
    for (uint64_t i = 0; i < element.count; i++) {
      watch(i, element.count);
      values_.begin(element, i);
      std::array<double, kSlots> value{};
      for (size_t k = 0; k < slots.size(); k++) {
        const Property& property = element.properties[k];
        if (property.count_type) {
          skip(property);
        } else {
          value[slots[k]] = values_.next(*property.type);
        }
      }
      add_vertex(value, color_scale);
    }
  }

  void add_vertex(const std::array<double, kSlots>& value, double color_scale) {
    const auto vector = [&](size_t first) {
      return glm::vec3(float(value[first]), float(value[first + 1]), float(value[first + 2]));
    };
    const glm::vec3 position = vector(kX);
    if (!is_usable(position)) {
      fail("field 'vertex {}': it is not finite or beyond 1e15; scale the model", mesh_.positions.size());
    }
    push_in_steps(mesh_.positions, position, loading_);
    if (has_normals_) {
      const glm::vec3 normal = vector(kNormalX);
      const float length = is_usable(normal) ? glm::length(normal) : 0.0f;
      push_in_steps(mesh_.normals, length > 1e-12f ? normal / length : glm::vec3(0), loading_);
    }
    if (has_texcoords_) {
      const glm::vec3 texcoord{float(value[kU]), float(value[kV]), 0.0f};
      push_in_steps(mesh_.texcoords, is_usable(texcoord) ? glm::vec2(texcoord) : glm::vec2(0), loading_);
    }
    for (size_t i = 0; i < 3 && has_colors_; i++) {
      const double channel = value[kRed + i] / color_scale;
      color_sum_[int(i)] += channel >= 0 ? std::min(channel, 1.0) : 0.0;
    }
  }

  void read_faces(const Element& element) {
    const auto is_corners = [](const Property& property) {
      return property.count_type && (property.name == "vertex_indices" || property.name == "vertex_index");
    };
    const auto corners = std::find_if(element.properties.begin(), element.properties.end(), is_corners);
    if (corners == element.properties.end() || corners->type->is_float) {
      fail("field 'face': it has no list vertex_indices of whole numbers; export the file again");
    }
    for (uint64_t i = 0; i < element.count; i++) {
      watch(i, element.count);
      values_.begin(element, i);
      for (const Property& property : element.properties) {
        if (&property == &*corners) {
          read_corners(property);
        } else {
          skip(property);
        }
      }
    }
  }

  void read_corners(const Property& property) {
    const size_t count = values_.next_count(*property.count_type);
    if (count > kMaxPolygon) {
      fail("field 'face {}': it has more than 1024 corners; triangulate the model", sizes_.size());
    }
    for (size_t i = 0; i < count; i++) {
      const double corner = values_.next(*property.type);
      if (!(corner >= 0 && corner <= 4294967295.0)) {
        fail("field 'face {}': vertex {} is no whole number from 0; export the file again", sizes_.size(), corner);
      }
      push_in_steps(corners_, uint32_t(corner), loading_);
    }
    push_in_steps(sizes_, uint32_t(count), loading_);
  }

  void add_triangles() {
    std::vector<glm::vec3> points;
    std::vector<std::array<uint32_t, 3>> triangles;
    size_t first = 0;
    for (size_t face = 0; face < sizes_.size(); first += sizes_[face++]) {
      watch(face, sizes_.size());
      points.clear();
      triangles.clear();
      for (size_t i = 0; i < sizes_[face]; i++) {
        const uint32_t corner = corners_[first + i];
        if (corner >= mesh_.positions.size()) {
          fail("field 'face {}': vertex {} is not among the {}; export the file again", face, corner,
               mesh_.positions.size());
        }
        points.push_back(mesh_.positions[corner]);
      }
      if (points.size() < 3) continue;  // no area
      if (mesh_.triangles.size() + points.size() > kMaxTriangles) {
        fail("field 'face {}': there are more than 67 million triangles; split the model", face);
      }
      triangulate(points, triangles, &loading_);
      for (const auto& triangle : triangles) add_triangle(first, triangle);
    }
    if (mesh_.triangles.empty()) fail_without_faces();
  }

  void add_triangle(size_t first, const std::array<uint32_t, 3>& triangle) {
    ObjTriangle& added = mesh_.triangles.emplace_back();
    added.material = 0;
    for (size_t i = 0; i < 3; i++) {
      const int vertex = int(corners_[first + triangle[i]]);
      const bool has_normal = has_normals_ && mesh_.normals[size_t(vertex)] != glm::vec3(0);
      added.corners[i] = {vertex, has_texcoords_ ? vertex : -1, has_normal ? vertex : -1};
    }
  }

  [[noreturn]] void fail_without_faces() const {
    for (const Element& element : header_.elements) {
      if (element.name == "tristrips") fail("field 'tristrips': triangle strips are not read; export faces");
    }
    fail("field 'face': there are no faces, it is a point cloud; make a mesh of it (MeshLab, CloudCompare)");
  }

  const Header& header_;
  Values values_;
  Loading& loading_;
  ObjMesh mesh_;
  bool has_normals_ = false, has_texcoords_ = false, has_colors_ = false;
  uint64_t mesh_size_ = 0;
  glm::dvec3 color_sum_{0.0};
  std::vector<uint32_t> corners_, sizes_;  // of all faces, one after another
};

}  // namespace

Frame read_ply(std::span<const std::byte> file, std::string_view name, const ResourceReader& resources,
               const LoadOptions& options, const PlyLimits& limits) {
  return named_frame(name, options, [&](Loading& loading) {
    loading.holds(file.size(), "file");
    loading.until(0.6);
    TextScanner text(as_text(file));
    const Header header = read_header(text);
    PlyReader reader(header, text.rest(), loading);
    ObjMesh mesh = reader.read();
    ObjMaterial& material = mesh.materials.emplace_back();
    material.material.name = "surface";
    material.diffuse_texture = header.texture;
    if (!header.texture.empty()) material.material.diffuse = glm::vec3(1);
    const std::optional<glm::vec3> color = reader.mean_color();
    if (color && header.texture.empty()) material.material.diffuse = *color * *color;  // as textures are decoded
    Frame frame = make_frame(std::move(mesh), resources, options, loading, {.texture_pixels = limits.texture_pixels});
    if (color) frame.warnings.emplace_back("colours of vertices are not drawn; the surface has their mean");
    return frame;
  });
}

Frame read_ply(const std::filesystem::path& path, const LoadOptions& options, const PlyLimits& limits) {
  Loading loading(options);
  const std::vector<std::byte> file = read_file(path, limits.file_bytes, &loading);
  const uint64_t most = std::min(limits.file_bytes, loading.left());
  return read_ply(file, path.string(), resources_beside(path, most), options, limits);
}

}  // namespace brokkr
