#include "formats/obj.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <glm/geometric.hpp>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/growth.h"
#include "formats/scene_setup.h"
#include "formats/triangle_graph.h"
#include "formats/vertex_numbers.h"

namespace brokkr {
namespace {

enum class MapUse : uint8_t { color, mask, data, normals };

class TextureLoader {
 public:
  TextureLoader(Frame& frame, const ResourceReader& resources, Loading& loading, uint64_t max_pixels)
      : frame_(frame), resources_(resources), loading_(loading), pixels_left_(max_pixels) {}

  // Returns the number of the texture in the frame; -1 if it has no name or cannot be read.
  int load(const ObjMap& map, MapUse use) {
    if (map.file.empty()) return -1;
    const auto [found, is_new] = loaded_.emplace(
        std::tuple(map.file, use, map.clamped, map.base, map.gain, use == MapUse::normals ? map.bump : 1.0f), -1);
    if (!is_new) return found->second;
    std::optional<Image> image = read(map);
    if (!image) return -1;
    adjust(*image, map, use);
    return found->second = add(map, std::move(*image), use == MapUse::color);
  }

  // Roughness and metalness become the green and the blue channel of one texture.
  int load_pair(const ObjMap& roughness, const ObjMap& metallic) {
    std::optional<Image> rough, metal;
    if (!roughness.file.empty()) rough = read(roughness);
    if (!metallic.file.empty()) metal = read(metallic);
    if (!rough && !metal) return -1;
    Image image = rough ? *rough : *metal;
    for (int y = 0; y < image.height; y++) {
      loading_.look();
      for (int x = 0; x < image.width; x++) {
        const auto value = [&](const std::optional<Image>& picture, const ObjMap& map) {
          if (!picture) return 255u;
          const size_t row = size_t(y) * size_t(picture->height) / size_t(image.height);
          const size_t column = size_t(x) * size_t(picture->width) / size_t(image.width);
          return adjusted(picture->texels[row * size_t(picture->width) + column] & 0xff, map);
        };
        image.texels[size_t(y) * size_t(image.width) + size_t(x)] =
            0xff0000ffu | value(rough, roughness) << 8 | value(metal, metallic) << 16;
      }
    }
    return add(rough ? roughness : metallic, std::move(image), false);
  }

  bool has_alpha(int texture) const { return texture >= 0 && has_alpha_[size_t(texture)]; }

 private:
  static std::string plain_name(std::string name) {
    std::replace(name.begin(), name.end(), '\\', '/');  // the file was written on Windows
    return name;
  }

  std::optional<Image> read(const ObjMap& map) {
    const std::string name = plain_name(map.file);
    const auto bytes = [&] {
      try {
        return resources_(name, loading_);
      } catch (const MissingResource&) {
        if (map.short_file == map.file || map.short_file.empty()) throw;
        return resources_(plain_name(map.short_file), loading_);
      }
    };
    return read_picture(bytes, name, map.place, pixels_left_, loading_);
  }

  static uint32_t adjusted(uint32_t channel, const ObjMap& map) {
    if (map.base == 0 && map.gain == 1) return channel;
    return uint32_t(std::lround(std::clamp(255 * map.base + map.gain * float(channel), 0.0f, 255.0f)));
  }

  void adjust(Image& image, const ObjMap& map, MapUse use) {
    // A mask is a grey picture or an alpha channel; shaders read the red channel.
    if (use == MapUse::mask && image.has_alpha) {
      for (uint32_t& texel : image.texels) texel = (texel >> 24) * 0x01010101u;
    }
    if (map.base != 0 || map.gain != 1) {
      for (uint32_t& texel : image.texels) {
        texel = adjusted(texel & 0xff, map) | adjusted(texel >> 8 & 0xff, map) << 8 |
                adjusted(texel >> 16 & 0xff, map) << 16 | (texel & 0xff000000u);
      }
    }
    if (use != MapUse::normals) return;
    const bool is_grey = std::ranges::all_of(image.texels, [](uint32_t texel) {
      return (texel & 0xff) == (texel >> 8 & 0xff) && (texel & 0xff) == (texel >> 16 & 0xff);
    });
    if (is_grey) image.texels = normals_of_heights(image, map.bump);
  }

  // Converts heights from 0 to 1 to normals. A height of 1 equals `bump` texels.
  std::vector<uint32_t> normals_of_heights(const Image& image, float bump) {
    const auto height = [&](int x, int y) {
      const int row = (y + image.height) % image.height, column = (x + image.width) % image.width;
      return float(image.texels[size_t(row) * size_t(image.width) + size_t(column)] & 0xff) / 255.0f;
    };
    std::vector<uint32_t> normals;
    normals.reserve(image.texels.size());
    for (int y = 0; y < image.height; y++) {
      loading_.look();
      for (int x = 0; x < image.width; x++) {
        const glm::vec3 normal = glm::normalize(glm::vec3((height(x - 1, y) - height(x + 1, y)) * 0.5f * bump,
                                                          (height(x, y - 1) - height(x, y + 1)) * 0.5f * bump, 1.0f));
        const auto channel = [](float value) { return uint32_t(std::lround((value * 0.5f + 0.5f) * 255.0f)); };
        normals.push_back(0xff000000u | channel(normal.x) | channel(normal.y) << 8 | channel(normal.z) << 16);
      }
    }
    return normals;
  }

  int add(const ObjMap& map, Image image, bool srgb) {
    Sampler sampler;
    if (map.clamped) sampler.wrap_x = sampler.wrap_y = Wrap::clamp_to_edge;
    has_alpha_.push_back(image.has_alpha);
    frame_.textures.push_back(
        {plain_name(map.file), image.width, image.height, srgb, std::move(image.texels), sampler});
    return int(frame_.textures.size() - 1);
  }

  Frame& frame_;
  const ResourceReader& resources_;
  Loading& loading_;
  uint64_t pixels_left_;
  std::map<std::tuple<std::string, MapUse, bool, float, float, float>, int> loaded_;
  std::vector<bool> has_alpha_;
};

// The map whose scale and offset are applied to the vertices' coordinates.
const ObjMap& leading_map(const ObjMaterial& m) {
  for (const ObjMap* map : {&m.diffuse, &m.alpha, &m.emission, &m.normal, &m.packed, &m.roughness, &m.metallic}) {
    if (!map->file.empty()) return *map;
  }
  return m.diffuse;
}

// The place where a map is read if the coordinates belong to the `leading` map.
TextureMapping mapping_beside(const ObjMap& map, const ObjMap& leading) {
  TextureMapping result;
  if (map.scale == leading.scale && map.offset == leading.offset) return result;
  const glm::vec2 scale = map.scale / leading.scale;
  result.linear = glm::mat2(scale.x, 0, 0, scale.y);
  result.offset = map.offset - leading.offset * scale;
  return result;
}

Material make_material(const ObjMaterial& source, bool has_colors, TextureLoader& textures, Loading& loading) {
  Material material = source.material;
  if (has_colors) material.kind = MaterialKind::metallic_roughness;
  const ObjMap& leading = leading_map(source);
  material.diffuse_texture = textures.load(source.diffuse, MapUse::color);
  if (source.is_picture_alone && material.diffuse_texture < 0 && !has_colors) material.diffuse = Material{}.diffuse;
  material.alpha_texture = textures.load(source.alpha, MapUse::mask);
  material.emission_texture = textures.load(source.emission, MapUse::color);
  material.emission_mapping = mapping_beside(source.emission, leading);
  material.normal_texture = textures.load(source.normal, MapUse::normals);
  material.normal_mapping = mapping_beside(source.normal, leading);
  if (!source.packed.file.empty()) {
    material.metallic_roughness_texture = material.occlusion_texture = textures.load(source.packed, MapUse::data);
    material.metallic_roughness_mapping = material.occlusion_mapping = mapping_beside(source.packed, leading);
  } else {
    material.metallic_roughness_texture = textures.load_pair(source.roughness, source.metallic);
    material.metallic_roughness_mapping =
        mapping_beside(source.roughness.file.empty() ? source.metallic : source.roughness, leading);
  }
  if (!source.alpha.file.empty() && mapping_beside(source.alpha, leading) != TextureMapping{}) {
    loading.warn("map_d options", "{}: map_d is read with the options -s and -o of map_Kd", source.alpha.place);
  }
  const bool has_mask = material.alpha_texture >= 0 || textures.has_alpha(material.diffuse_texture);
  if (has_mask && material.opacity >= 1) material.alpha_cutoff = 0.5f;
  return material;
}

// Appends the triangles of one material as vertices and indices, and returns their draw.
template <bool kFaceColors>
DrawCommand make_draw(Frame& frame, const ObjMesh& mesh, const std::vector<uint32_t>& triangles, const ObjMap& map,
                      Loading& loading) {
  DrawCommand draw;
  draw.vertex_kind = VertexKind::transform;
  draw.indexed = true;
  draw.first_index = frame.indices.size();
  draw.first_vertex = frame.positions.size();
  // Equal corners become one vertex and are shaded once. They have equal positions, texture coordinates, bits of the
  // normal, and face colours.
  using Numbers = VertexNumbers<kFaceColors ? 8 : 5>;
  const bool moves = map.scale != glm::vec2(1) || map.offset != glm::vec2(0);
  Numbers vertices(loading);
  // The bytes that a vertex takes: its entries in the three lists, which are copied when they grow, and its number.
  constexpr uint64_t kVertex = 3 * (sizeof(glm::vec4) + sizeof(glm::vec3) + sizeof(glm::vec2)) + Numbers::kBytes;
  constexpr size_t kCheckEvery = 1024;
  size_t done = 0;
  for (uint32_t triangle : triangles) {
    loading.step(done, triangles.size());
    if (done++ % kCheckEvery == 0)
      loading.check(frame.positions.size() * kVertex + frame.indices.size() * 3 * sizeof(uint32_t), "f");
    for (const ObjCorner& corner : mesh.triangles[triangle].corners) {
      const glm::vec3& normal = mesh.normals[size_t(corner.normal)];
      const size_t known = vertices.size();
      typename Numbers::Key key{uint32_t(corner.position), uint32_t(corner.texcoord), std::bit_cast<uint32_t>(normal.x),
                                std::bit_cast<uint32_t>(normal.y), std::bit_cast<uint32_t>(normal.z)};
      if constexpr (kFaceColors) {
        const glm::vec3& color = mesh.face_colors[triangle];
        for (int i = 0; i < 3; i++) key[5 + size_t(i)] = std::bit_cast<uint32_t>(color[i]);
      }
      const uint32_t number = vertices.number_of(key);
      if (number == known) {
        push_in_steps(frame.positions, glm::vec4(mesh.positions[size_t(corner.position)], 1.0f), loading);
        push_in_steps(frame.normals, normal, loading);
        const bool has_texcoord = corner.texcoord >= 0;
        glm::vec2 texcoord = has_texcoord ? mesh.texcoords[size_t(corner.texcoord)] : glm::vec2(0);
        if (moves) texcoord = texcoord * map.scale + map.offset;
        push_in_steps(frame.texcoords, texcoord, loading);
        if constexpr (kFaceColors) {
          push_in_steps(frame.colors, glm::vec4(mesh.face_colors[triangle], 1), loading);
        } else if (!mesh.colors.empty()) {
          push_in_steps(frame.colors, glm::vec4(mesh.colors[size_t(corner.position)], 1), loading);
        }
      }
      push_in_steps(frame.indices, number, loading);
    }
  }
  draw.vertex_count = uint32_t(vertices.size());
  draw.element_count = uint32_t(triangles.size() * 3);
  return draw;
}

}  // namespace

Frame make_frame(ObjMesh mesh, const ResourceReader& resources, const LoadOptions& options, Loading& loading,
                 const ObjLimits& limits) {
  Frame frame;
  Bounds bounds;
  for (const ObjTriangle& triangle : mesh.triangles) {
    loading.step();
    for (const ObjCorner& corner : triangle.corners) bounds.add(mesh.positions[size_t(corner.position)]);
  }
  set_up_scene(frame, bounds, std::nullopt, options);
  frame.models = {glm::mat4(1.0f)};
  frame.states = {opaque_state(frame), blended_state(frame)};

  loading.until(0.7);
  add_missing_normals(mesh, loading);
  const uint64_t mesh_bytes = mesh.triangles.size() * (sizeof(ObjTriangle) + 3 * sizeof(uint32_t)) +
                              (mesh.positions.size() + mesh.normals.size()) * sizeof(glm::vec3);
  loading.need(mesh_bytes, "f");
  // The last material belongs to faces without one.
  std::vector<std::vector<uint32_t>> triangles_of(mesh.materials.size() + 1);
  for (size_t i = 0; i < mesh.triangles.size(); i++) {
    loading.step(i, mesh.triangles.size());
    const int material = mesh.triangles[i].material;
    push_in_steps(triangles_of[material < 0 ? mesh.materials.size() : size_t(material)], uint32_t(i), loading);
  }
  const bool has_colors = !mesh.colors.empty() || !mesh.face_colors.empty();
  ObjMaterial& fallback = mesh.materials.emplace_back();
  fallback.material.name = "default";
  if (has_colors) fallback.material.diffuse = glm::vec3(1);
  loading.until(0.85);
  TextureLoader textures(frame, resources, loading, limits.texture_pixels);
  std::vector<DrawCommand> blended;
  for (size_t i = 0; i < triangles_of.size(); i++) {
    if (triangles_of[i].empty()) continue;  // the textures of an unused material are not loaded either
    const ObjMap& map = leading_map(mesh.materials[i]);
    DrawCommand draw = mesh.face_colors.empty() ? make_draw<false>(frame, mesh, triangles_of[i], map, loading)
                                                : make_draw<true>(frame, mesh, triangles_of[i], map, loading);
    draw.label = mesh.materials[i].material.name;
    draw.view_count = uint32_t(frame.views.size());
    draw.material = uint32_t(frame.materials.size());
    frame.materials.push_back(make_material(mesh.materials[i], has_colors, textures, loading));
    if (frame.materials.back().opacity < 1) {
      draw.state = 1;
      blended.push_back(std::move(draw));
    } else {
      frame.commands.emplace_back(std::in_place_type<DrawCommand>, std::move(draw));
    }
  }
  add_blended(frame, std::move(blended), loading);
  return frame;
}

Frame read_obj(std::string_view text, std::string_view name, const ResourceReader& resources,
               const LoadOptions& options, const ObjLimits& limits) {
  return named_frame(name, options, [&](Loading& loading) {
    loading.holds(text.size(), "file");
    loading.until(0.6);
    ObjMesh mesh = parse_obj(text, resources, loading);
    loading.at(0.6);
    if (mesh.triangles.empty()) return make_point_frame(std::move(mesh), options, loading);
    return make_frame(std::move(mesh), resources, options, loading, limits);
  });
}

Frame read_obj(const std::filesystem::path& path, const LoadOptions& options, const ObjLimits& limits) {
  const ResourceReader resources = resources_beside(path, limits.file_bytes);
  Loading loading(options);
  return read_obj(as_text(read_file(path, limits.file_bytes, &loading)), path.string(), resources, options, limits);
}

namespace {

// Newell's method: for any planar polygon, the sum over the edges is twice the area vector.
glm::dvec3 area_vector(std::span<const glm::vec3> corners) {
  glm::dvec3 sum(0.0);
  for (size_t i = 0; i < corners.size(); i++) {
    const glm::dvec3 a(corners[i]), b(corners[(i + 1) % corners.size()]);
    sum += glm::dvec3((a.y - b.y) * (a.z + b.z), (a.z - b.z) * (a.x + b.x), (a.x - b.x) * (a.y + b.y));
  }
  return sum;
}

// The two coordinates of a point that remain without the axis nearest to the normal. They are ordered such that a
// polygon that is counter-clockwise around the normal stays counter-clockwise.
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
constexpr uint32_t kMaxFaces = 256;        // limit around one position, so that a hub does not take for ever

struct FaceNormal {
  glm::vec3 unit;  // zero if the face has no area
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
  const auto around = [&](size_t place, size_t step) { return left[(place + step) % left.size()]; };
  // Returns true if the corner turns left, and no other corner lies in the triangle that it would cut off.
  const auto is_ear = [&](size_t place) {
    const glm::dvec2 &a = points[around(place, left.size() - 1)], &b = points[left[place]],
                     &c = points[around(place, 1)];
    if (!(turn(a, b, c) > 0)) return false;
    for (size_t i = 2; i + 1 < left.size(); i++) {
      const glm::dvec2& p = points[around(place, i)];
      if (p == a || p == b || p == c) continue;
      if (turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0) return false;
    }
    return true;
  };
  for (size_t place = 0, tried = 0; left.size() > 3 && tried < left.size();) {
    place %= left.size();
    if (loading != nullptr) loading->step();
    if (is_ear(place)) {
      triangles.push_back({around(place, left.size() - 1), left[place], around(place, 1)});
      left.erase(left.begin() + std::ptrdiff_t(place));
      tried = 0;
    } else {
      place++;
      tried++;
    }
  }
  for (size_t i = 1; i + 1 < left.size(); i++) triangles.push_back({left[0], left[i], left[i + 1]});
}

void check_mesh(const ObjMesh& mesh, const Loading& loading, std::string_view field) {
  constexpr uint64_t kGrowth = 3;  // a full list is copied to one of twice its size
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
      const auto faces = around.triangles(uint32_t(corner.position));
      for (size_t k = 0; k < faces.size() && faces.size() <= kMaxFaces; k++) {
        const FaceNormal& other = face_normals[faces[k]];
        if (glm::dot(other.unit, own) >= kCosCrease) sum += glm::dvec3(other.unit) * double(other.area);
      }
      const double length = glm::length(sum);
      glm::vec3 normal = length > 0 ? glm::vec3(sum / length) : own;
      // a face without area is never visible, but its normal is defined
      if (normal == glm::vec3(0)) normal = glm::vec3(0, 1, 0);
      corner.normal = int(mesh.normals.size());
      push_in_steps(mesh.normals, normal, loading);
    }
  }
}

}  // namespace brokkr
