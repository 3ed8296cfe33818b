#include "formats/sources.h"

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
#include "formats/vertex_numbers.h"

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
  const Type* count_type = nullptr;  // type of a list's count
};

struct Element {
  std::string name;
  uint64_t count = 0;
  std::vector<Property> properties;
};

struct Header {
  Format format = Format::ascii;
  std::vector<Element> elements;
  std::vector<std::string> textures;
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

// Removes a line from `text` that ends with `end`, or with the text. The bytes after a header may look like the end of
// a line.
std::string_view take_line(std::string_view& text, std::string_view end) {
  const std::string_view line = text.substr(0, text.find(end));
  text.remove_prefix(std::min(line.size() + end.size(), text.size()));
  return line;
}

// `text` then begins after the line end_header.
Header read_header(std::string_view& text, Loading& loading) {
  constexpr size_t kMaxProperties = 4096;
  Header header;
  size_t properties = 0;
  bool has_format = false;
  text = without_mark(text);
  const size_t first = text.find_first_of("\r\n");
  const std::string_view end = first == std::string_view::npos   ? "\n"
                               : text.substr(first, 2) == "\r\n" ? "\r\n"
                                                                 : text.substr(first, 1);
  if (TextScanner(take_line(text, end)).word() != "ply") {
    fail("field 'file': its first line is not 'ply'; name a PLY file");
  }
  while (!text.empty()) {
    TextScanner line(take_line(text, end));
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
      if (!count)
        fail("field 'element {}': its count is not a number; export the file again", element.name.substr(0, 40));
      element.count = *count;
      header.elements.push_back(std::move(element));
    } else if (word == "property") {
      if (header.elements.empty()) fail("field 'property': it belongs to no element; export the file again");
      header.elements.back().properties.push_back(read_property(line));
    } else if (word == "comment") {
      const std::string_view what = line.word(), name = line.line();
      if (what == "TextureFile" || what == "texturefile") header.textures.emplace_back(trimmed(name));
    } else if (!word.empty() && word != "obj_info") {
      loading.warn("header", "header: '{}' is not a word of PLY; left out", word.substr(0, 40));
    }
    if (++properties > kMaxProperties) fail("field 'header': it has more than 4096 lines; export the file again");
  }
  fail("field 'end_header': it is missing; copy the file again");
}

// Values, one after another. Each is in the file before it is read.
class Values {
 public:
  Values(std::string_view bytes, Format format) : text_(bytes), bytes_(bytes), format_(format) {}

  // A word that is not a number counts as NaN.
  double next(const Type& type) {
    if (format_ == Format::ascii) {
      const auto number = text_.number<double>();
      if (!number && text_.rest().empty()) fail_here("a value is missing; copy or export the file again");
      return number.value_or(NAN);
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

  // The length of a list. Each element takes at least one byte.
  size_t next_count(const Type& type) {
    const double count = next(type);
    if (!(count >= 0 && count <= double(left())) || count != std::floor(count)) {
      fail_here("a list is longer than the file; copy or export it again");
    }
    return size_t(count);
  }

  uint64_t left() const { return format_ == Format::ascii ? text_.rest().size() : bytes_.size() - at_; }

  // Names the part that is read next, for messages.
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

// The meaning of a vertex's property. Properties `kOther` are skipped.
enum Slot : size_t { kX, kY, kZ, kNormalX, kNormalY, kNormalZ, kU, kV, kRed, kGreen, kBlue, kAlpha, kOther };
constexpr size_t kSlots = kOther + 1;

Slot slot_of(std::string_view name) {
  static constexpr std::pair<std::string_view, Slot> kNames[] = {{"x", kX},
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
                                                                 {"texture_s", kU},
                                                                 {"texture_t", kV},
                                                                 {"red", kRed},
                                                                 {"green", kGreen},
                                                                 {"blue", kBlue},
                                                                 {"diffuse_red", kRed},
                                                                 {"diffuse_green", kGreen},
                                                                 {"diffuse_blue", kBlue},
                                                                 {"r", kRed},
                                                                 {"g", kGreen},
                                                                 {"b", kBlue},
                                                                 {"alpha", kAlpha},
                                                                 {"a", kAlpha}};
  const auto* found = std::ranges::find(kNames, name, &std::pair<std::string_view, Slot>::first);
  return found == std::end(kNames) ? kOther : found->second;
}

class PlyReader {
 public:
  PlyReader(const Header& header, std::string_view body, Loading& loading)
      : header_(header), values_(body, header.format), loading_(loading) {}

  // Without triangles it is a point cloud.
  ObjMesh read() {
    for (const Element& element : header_.elements) {
      if (element.properties.empty()) continue;  // the file has no data of it
      if (element.name == "vertex" && mesh_.positions.empty()) {
        if (element.count > values_.left() && !is_cloud()) {
          fail("field 'element vertex': its {} elements exceed the file's bytes; copy or export it again",
               element.count);
        }
        if (!read_vertices_or_stop(element)) break;
      } else if (!read_or_stop(element)) {
        break;
      }
    }
    if (mesh_.positions.empty()) fail("field 'element vertex': there are no vertices; export the file again");
    add_triangles();
    if (mesh_.triangles.empty() && (!sizes_.empty() || !strips_.empty())) {
      loading_.warn("points", "no face can be drawn; the vertices are drawn as points");
    }
    scale_colors();
    return std::move(mesh_);
  }

 private:
  // Reports the progress of reading, and asks for more memory.
  void watch(uint64_t done, uint64_t all) {
    constexpr uint64_t kCheckEvery = 1024;
    loading_.step(done, all);
    if (done % kCheckEvery != 0) return;
    check_mesh(mesh_, loading_, "vertex");
    loading_.check(3 * sizeof(uint32_t) * (corners_.size() + sizes_.size()), "face");
  }

  bool is_cloud() const {
    return std::ranges::none_of(header_.elements, [](const Element& element) {
      return element.count > 0 && (element.name == "face" || element.name == "tristrips");
    });
  }

  // Returns false if a point cloud ends early. Its whole vertices are then drawn.
  bool read_vertices_or_stop(const Element& element) {
    try {
      read_vertices(element);
      return true;
    } catch (const LimitReached&) {
      throw;
    } catch (const std::runtime_error& problem) {
      if (!is_cloud() || mesh_.positions.empty()) throw;
      loading_.warn("end", "{}; the {} vertices before it are drawn", problem.what(), mesh_.positions.size());
      return false;
    }
  }

  // Returns false if the file ends within the element. Its whole faces are then drawn. A file with faces must have at
  // least one: vertices alone are not what it means.
  bool read_or_stop(const Element& element) {
    try {
      if (element.name == "face" && sizes_.empty()) {
        read_faces(element);
      } else if (element.name == "tristrips" && strips_.empty()) {
        read_strips(element);
      } else {
        loading_.warn("element " + element.name, "element '{}' is not drawn", element.name.substr(0, 40));
        for (uint64_t i = 0; i < element.count; i++) {
          loading_.step(i, element.count);
          skip(element, i);
        }
      }
    } catch (const LimitReached&) {
      throw;
    } catch (const std::runtime_error& problem) {
      sizes_.resize(whole_faces_);
      if (sizes_.empty() && strips_.empty()) throw;
      loading_.warn("end", "{}; the data before it is drawn", problem.what());
      return false;
    }
    return true;
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
      if (slots.back() == kRed) color_scale = color_scale_of(property);
      if (slots.back() == kOther) left_out(element, property);
    }
    if (!has[kX] || !has[kY] || !has[kZ]) fail("field 'vertex': x, y or z is missing; export the file again");
    has_normals_ = has[kNormalX] && has[kNormalY] && has[kNormalZ];
    has_texcoords_ = has[kU] && has[kV];
    has_colors_ = has[kRed] && has[kGreen] && has[kBlue];
    if (has_colors_ && has[kAlpha]) alpha_scale_ = color_scale;
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
    // A value that is not finite, or cannot be drawn, matters only if a face uses it.
    const glm::vec3 position = vector(kX);
    push_in_steps(mesh_.positions, is_usable(position) ? position : glm::vec3(NAN), loading_);
    if (has_normals_) {
      const glm::vec3 normal = vector(kNormalX);
      const float length = is_usable(normal) ? glm::length(normal) : 0.0f;
      push_in_steps(mesh_.normals, length > 1e-12f ? normal / length : glm::vec3(0), loading_);
    }
    if (has_texcoords_) {
      const glm::vec3 texcoord{float(value[kU]), float(value[kV]), 0.0f};
      push_in_steps(mesh_.texcoords, is_usable(texcoord) ? glm::vec2(texcoord) : glm::vec2(0), loading_);
    }
    if (has_colors_) push_in_steps(mesh_.colors, to_color(value, color_scale), loading_);
    if (has_colors_ && alpha_scale_ > 0 && value[kAlpha] < alpha_scale_) {
      loading_.warn("alpha", "vertex {}: alpha of colours is not drawn", mesh_.positions.size() - 1);
    }
  }

  static double color_scale_of(const Property& property) {
    return property.type->is_float ? 1.0 : std::exp2(8.0 * property.type->bytes) - 1;
  }

  glm::vec3 to_color(const std::array<double, kSlots>& value, double scale) {
    glm::vec3 color(0);
    for (size_t i = 0; i < 3; i++) {
      const double channel = value[kRed + i] / scale;
      color[int(i)] = channel >= 0 ? float(std::min(channel, 1e6)) : 0.0f;
      max_color_ = std::max(max_color_, color[int(i)]);
    }
    return color;
  }

  // Some programs write floats from 0 to 255.
  void scale_colors() {
    if (max_color_ <= 1) return;
    loading_.warn("color", "colours go up to {}; they are taken as parts of 255", max_color_);
    for (std::vector<glm::vec3>* colors : {&mesh_.colors, &mesh_.face_colors}) {
      for (glm::vec3& color : *colors) color = glm::min(color / 255.0f, glm::vec3(1));
    }
  }

  void left_out(const Element& element, const Property& property) {
    loading_.warn(element.name + " " + property.name, "element {}: property '{}' is not drawn",
                  element.name.substr(0, 40), property.name.substr(0, 40));
  }

  void read_faces(const Element& element) {
    const Property *corners = nullptr, *texcoords = nullptr;
    std::vector<Slot> slots;
    double color_scale = 1;
    bool has_red = false, has_number = false;
    for (const Property& property : element.properties) {
      const bool is_list = property.count_type != nullptr;
      if (is_list && (property.name == "vertex_indices" || property.name == "vertex_index")) corners = &property;
      if (is_list && property.name == "texcoord") texcoords = &property;
      slots.push_back(is_list ? kOther : slot_of(property.name));
      if (slots.back() == kRed) color_scale = color_scale_of(property);
      has_red |= slots.back() == kRed;
      has_number |= !is_list && property.name == "texnumber";
      const bool is_color = slots.back() >= kRed && slots.back() <= kAlpha;
      if (&property != corners && &property != texcoords && !is_color && property.name != "texnumber" &&
          property.name != "flags") {
        left_out(element, property);
      }
    }
    if (corners == nullptr || corners->type->is_float) {
      fail("field 'face': it has no list vertex_indices of whole numbers; export the file again");
    }
    has_face_colors_ = has_red && !has_colors_;
    if (has_red && has_colors_)
      loading_.warn("both colors", "element face: colours of vertices are drawn, not those of faces");
    if (texcoords != nullptr) first_corner_texcoord_ = mesh_.texcoords.size();
    std::vector<double> coordinates;
    for (uint64_t i = 0; i < element.count; i++) {
      watch(i, element.count);
      values_.begin(element, i);
      std::array<double, kSlots> value{};
      double number = 0;
      coordinates.clear();
      for (size_t k = 0; k < slots.size(); k++) {
        const Property& property = element.properties[k];
        if (&property == corners) {
          read_corners(property);
        } else if (&property == texcoords) {
          for (size_t left = values_.next_count(*property.count_type); left > 0; left--) {
            coordinates.push_back(values_.next(*property.type));
          }
        } else if (property.count_type) {
          skip(property);
        } else {
          const double next = values_.next(*property.type);
          value[slots[k]] = next;
          if (has_number && property.name == "texnumber") number = next;
        }
      }
      if (texcoords != nullptr) add_corner_texcoords(coordinates, i);
      if (has_face_colors_) push_in_steps(polygon_colors_, to_color(value, color_scale), loading_);
      if (has_number) push_in_steps(polygon_textures_, material_of(number, i), loading_);
      whole_faces_ = sizes_.size();
    }
  }

  int material_of(double number, uint64_t face) {
    if (number >= 0 && number < double(header_.textures.size())) return int(number);
    if (!header_.textures.empty()) {
      loading_.warn("texnumber", "face {}: texture {} is not among the {}; drawn with the first", face, number,
                    header_.textures.size());
    }
    return 0;
  }

  // Adds two numbers for each corner of the face that was read last.
  void add_corner_texcoords(const std::vector<double>& values, uint64_t face) {
    const size_t count = sizes_.back();
    const bool complete = values.size() == 2 * count;
    if (!complete && !values.empty()) {
      loading_.warn("texcoord", "face {}: texcoord has {} numbers for {} corners; drawn without", face, values.size(),
                    count);
    }
    for (size_t i = 0; i < count; i++) {
      glm::vec3 texcoord(0);
      if (complete) texcoord = glm::vec3(float(values[2 * i]), float(values[2 * i + 1]), 0);
      if (!is_usable(texcoord)) texcoord = glm::vec3(0);
      // Equal coordinates get the same number, so that their corners become one vertex.
      const size_t known = texcoord_numbers_.size();
      const uint32_t number =
          texcoord_numbers_.number_of({std::bit_cast<uint32_t>(texcoord.x), std::bit_cast<uint32_t>(texcoord.y)});
      if (number == known) push_in_steps(mesh_.texcoords, glm::vec2(texcoord), loading_);
      push_in_steps(corner_texcoords_, uint32_t(*first_corner_texcoord_) + number, loading_);
    }
  }

  // Reads lists of vertices, in which -1 ends a strip.
  void read_strips(const Element& element) {
    for (uint64_t i = 0; i < element.count; i++) {
      values_.begin(element, i);
      for (const Property& property : element.properties) {
        if (!property.count_type || (property.name != "vertex_indices" && property.name != "vertex_index")) {
          skip(property);
          continue;
        }
        for (size_t left = values_.next_count(*property.count_type); left > 0; left--) {
          watch(strips_.size(), element.count);
          const double corner = values_.next(*property.type);
          push_in_steps(strips_,
                        corner >= 0 && corner < double(kEnd) ? uint32_t(corner)
                        : corner < 0                         ? kEnd
                                                             : kEnd - 1,
                        loading_);
        }
      }
      push_in_steps(strips_, kEnd, loading_);
    }
  }

  void read_corners(const Property& property) {
    const size_t count = values_.next_count(*property.count_type);
    if (count > kMaxPolygon) {
      fail_limit("field 'face {}': it has more than 1024 corners; triangulate the model", sizes_.size());
    }
    for (size_t i = 0; i < count; i++) {
      const double corner = values_.next(*property.type);
      push_in_steps(corners_, corner >= 0 && corner < double(kEnd) ? uint32_t(corner) : kEnd, loading_);
    }
    push_in_steps(sizes_, uint32_t(count), loading_);
  }

  void add_triangles() {
    std::vector<std::array<uint32_t, 3>> triangles;
    size_t first = 0;
    for (size_t face = 0; face < sizes_.size(); first += sizes_[face++]) {
      watch(face, sizes_.size());
      const std::span<const uint32_t> corners = std::span(corners_).subspan(first, sizes_[face]);
      if (!takes(corners, "face", face)) continue;
      triangles.clear();
      triangulate(points_, triangles, &loading_);
      for (const auto& triangle : triangles) {
        add_triangle({corners[triangle[0]], corners[triangle[1]], corners[triangle[2]]});
        if (first_corner_texcoord_) {
          for (size_t i = 0; i < 3; i++) {
            mesh_.triangles.back().corners[i].texcoord = int(corner_texcoords_[first + triangle[i]]);
          }
        }
        if (has_face_colors_) push_in_steps(mesh_.face_colors, polygon_colors_[face], loading_);
        if (!polygon_textures_.empty()) mesh_.triangles.back().material = polygon_textures_[face];
      }
    }
    if (has_face_colors_ && !strips_.empty()) {
      loading_.warn("both", "element tristrips: not drawn, because faces have colours");
      return;
    }
    size_t begin = 0;
    for (size_t i = 0; i < strips_.size(); i++) {
      watch(i, strips_.size());
      if (strips_[i] == kEnd) begin = i + 1;
      if (strips_[i] == kEnd || i < begin + 2) continue;
      std::array<uint32_t, 3> corners = {strips_[i - 2], strips_[i - 1], strips_[i]};
      if ((i - begin) % 2 == 1) std::swap(corners[0], corners[1]);
      if (corners[0] == corners[1] || corners[1] == corners[2] || corners[0] == corners[2]) continue;  // a turn
      if (takes(corners, "strip's corner", i)) add_triangle(corners);
    }
  }

  // Returns true if a polygon can be drawn; points_ are then its corners.
  bool takes(std::span<const uint32_t> corners, const char* what, uint64_t number) {
    points_.clear();
    if (corners.size() < 3) {
      loading_.warn("few", "{} {}: it has fewer than three corners; left out", what, number);
      return false;
    }
    for (const uint32_t corner : corners) {
      if (corner >= mesh_.positions.size()) {
        loading_.warn("index", "{} {}: vertex {} is not among the {}; the face is left out", what, number,
                      corner >= kEnd - 1 ? "that is not a whole number" : fmt::format("{}", corner),
                      mesh_.positions.size());
        return false;
      }
      if (std::isnan(mesh_.positions[corner].x)) {
        loading_.warn("nan", "{} {}: vertex {} is not finite, not a number or beyond 1e15; the face is left out", what,
                      number, corner);
        return false;
      }
      points_.push_back(mesh_.positions[corner]);
    }
    if (mesh_.triangles.size() + corners.size() > kMaxTriangles) {
      fail_limit("field '{} {}': there are more than 67 million triangles; split the model", what, number);
    }
    return true;
  }

  void add_triangle(const std::array<uint32_t, 3>& corners) {
    ObjTriangle& added = mesh_.triangles.emplace_back();
    added.material = 0;
    for (size_t i = 0; i < 3; i++) {
      const int vertex = int(corners[i]);
      const bool has_normal = has_normals_ && mesh_.normals[size_t(vertex)] != glm::vec3(0);
      added.corners[i] = {vertex, has_texcoords_ ? vertex : -1, has_normal ? vertex : -1};
    }
  }

  static constexpr uint32_t kEnd = ~uint32_t(0);  // the end of a strip; in a face: no vertex

  const Header& header_;
  Values values_;
  Loading& loading_;
  ObjMesh mesh_;
  bool has_normals_ = false, has_texcoords_ = false, has_colors_ = false, has_face_colors_ = false;
  float max_color_ = 0;
  double alpha_scale_ = 0;
  size_t whole_faces_ = 0;
  std::vector<uint32_t> corners_, sizes_;  // of all faces, one after another
  std::vector<uint32_t> strips_;           // of all strips, each followed by a kEnd
  std::optional<size_t> first_corner_texcoord_;
  VertexNumbers<2> texcoord_numbers_{loading_};
  std::vector<uint32_t> corner_texcoords_;  // of all faces, like corners_
  std::vector<glm::vec3> polygon_colors_, points_;
  std::vector<int> polygon_textures_;
};

}  // namespace

Frame read_ply(std::span<const std::byte> file, std::string_view name, const ResourceReader& resources,
               const LoadOptions& options, const PlyLimits& limits) {
  return named_frame(name, options, [&](Loading& loading) {
    loading.holds(file.size(), "file");
    loading.until(0.6);
    std::string_view text = as_text(file);
    const Header header = read_header(text, loading);
    ObjMesh mesh = PlyReader(header, text, loading).read();
    for (size_t i = 0; i < std::max<size_t>(header.textures.size(), 1); i++) {
      ObjMaterial& material = mesh.materials.emplace_back();
      material.material.name = "surface";
      if (!header.textures.empty()) {
        material.diffuse.file = material.diffuse.short_file = header.textures[i];
        material.diffuse.place = "comment TextureFile";
      }
      const bool has_colors = !mesh.colors.empty() || !mesh.face_colors.empty();
      if (has_colors || !header.textures.empty()) material.material.diffuse = glm::vec3(1);
      material.is_picture_alone = !has_colors && !header.textures.empty();
    }
    if (mesh.triangles.empty()) return make_point_frame(std::move(mesh), options, loading);
    return make_frame(std::move(mesh), resources, options, loading, {.texture_pixels = limits.texture_pixels});
  });
}

Frame read_ply(const std::filesystem::path& path, const LoadOptions& options, const PlyLimits& limits) {
  Loading loading(options);
  const std::vector<std::byte> file = read_file(path, limits.file_bytes, &loading);
  const uint64_t max_bytes = std::min(limits.file_bytes, loading.left());
  return read_ply(file, path.string(), resources_beside(path, max_bytes), options, limits);
}

}  // namespace brokkr
