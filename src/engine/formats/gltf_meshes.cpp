#include "formats/gltf_meshes.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <utility>

#include "base/failure.h"
#include "formats/obj.h"
#include "frame/frame_tables.h"

namespace brokkr {
namespace {

constexpr std::array<uint32_t, 1> kTwo = {2}, kThree = {3};
constexpr std::array<uint32_t, 2> kThreeOrFour = {3, 4};
const char* const kTooFew = "there are not as many as positions; export the file again";

// Three vertices of their own for every triangle, with its normal.
template <class Vertex>
std::vector<Vertex> flat(const std::vector<Vertex>& vertices, const std::vector<uint32_t>& list) {
  std::vector<Vertex> result;
  result.reserve(list.size());
  for (size_t i = 0; i + 2 < list.size(); i += 3) {
    const auto corner = [&](size_t k) { return glm::dvec3(vertices[list[i + k]].position); };
    const glm::dvec3 normal = glm::cross(corner(1) - corner(0), corner(2) - corner(0));
    const double length = glm::length(normal);
    const bool has_area = length > 0 && std::isfinite(length);
    for (size_t k = i; k < i + 3; k++) {
      result.push_back(vertices[list[k]]);
      result.back().normal = has_area ? glm::vec3(normal / length) : glm::vec3(0, 1, 0);
    }
  }
  return result;
}

}  // namespace

bool GltfMeshes::is_drawn(const GltfPart& primitive) {
  constexpr uint64_t kTriangles = 4, kFan = 6;
  const uint64_t mode = primitive.whole("mode", kTriangles);
  if (mode > kFan) primitive.fail_at("mode", "it is outside 0..6; export the file again");
  if (mode < kTriangles) warnings_.add("points and lines are not drawn");
  // glTF asks to leave out what has no positions.
  return mode >= kTriangles && primitive.part("attributes").has("POSITION");
}

GltfMesh GltfMeshes::read(const GltfPart& primitive, bool opaque, bool second_texcoords) {
  if (primitive.part("extensions").has("KHR_draco_mesh_compression")) {
    primitive.fail_at("extensions", "KHR_draco_mesh_compression is not read; export without compression");
  }
  const GltfPart attributes = primitive.part("attributes");
  const bool has_colors = attributes.has("COLOR_0");
  const Shape shape{.key = {.position = attributes.whole("POSITION"),
                            .normal = attributes.whole("NORMAL", kGltfNone),
                            .texcoord = attributes.whole("TEXCOORD_0", kGltfNone),
                            .second_texcoord = second_texcoords ? attributes.whole("TEXCOORD_1", kGltfNone) : kGltfNone,
                            .color = attributes.whole("COLOR_0", kGltfNone),
                            .opaque = has_colors && opaque},
                    .indices = primitive.whole("indices", kGltfNone),
                    .mode = primitive.whole("mode", 4)};
  const auto found = meshes_.find(shape);
  if (found != meshes_.end()) return found->second;
  const bool is_flat = shape.key.normal == kGltfNone;
  const auto shared = vertices_.find(shape.key);
  GltfMesh mesh;
  std::vector<uint32_t> list;
  if (!is_flat && shared != vertices_.end()) {
    mesh = shared->second;
    list = triangles(primitive, shape, mesh.vertices);
  } else {
    const std::vector<Vertex> vertices = read_vertices(shape.key, attributes);
    list = triangles(primitive, shape, uint32_t(vertices.size()));
    mesh = add(is_flat ? flat(vertices, list) : vertices, shape.key);
    if (!is_flat) vertices_.emplace(shape.key, mesh);
  }
  mesh.first_index = frame_.indices.size();
  mesh.indices = uint32_t(list.size());
  for (size_t i = 0; i < list.size(); i++) frame_.indices.push_back(is_flat ? uint32_t(i) : list[i]);
  return meshes_.emplace(shape, mesh).first->second;
}

GltfMesh GltfMeshes::with_normals_for(const GltfMesh& mesh, const glm::mat3& model) {
  if (mesh.vertices > copies_left_) {
    fail("field 'nodes': too many are scaled by different factors along the axes; apply their scale to the meshes");
  }
  copies_left_ -= mesh.vertices;
  const glm::mat3 to_normal = glm::inverse(glm::transpose(model) * model);
  GltfMesh copy = mesh;
  copy.first_vertex = frame_.positions.size();
  for (uint64_t i = mesh.first_vertex; i < mesh.first_vertex + mesh.vertices; i++) {
    const glm::vec3 normal = to_normal * frame_.normals[i];
    const float length = is_usable(normal) ? glm::length(normal) : 0.0f;
    add_vertex({.position = glm::vec3(frame_.positions[i]),
                .normal = length > 0 ? normal / length : frame_.normals[i],
                .texcoord = frame_.texcoords[i],
                .second_texcoord = frame_.second_texcoords.empty() ? glm::vec2(0) : frame_.second_texcoords[i],
                .color = frame_.colors.empty() ? glm::vec4(1) : frame_.colors[i]});
  }
  return copy;
}

void GltfMeshes::complete() {
  const bool reads = std::any_of(frame_.materials.begin(), frame_.materials.end(),
                                 [](const Material& material) { return material.reads_second_texcoords(); });
  if (reads) frame_.second_texcoords.resize(frame_.positions.size(), glm::vec2(0));
}

std::vector<GltfMeshes::Vertex> GltfMeshes::read_vertices(const Key& key, const GltfPart& attributes) {
  std::vector<Vertex> vertices;
  read_positions(key.position, attributes, vertices);
  if (key.normal != kGltfNone) read_normals(key.normal, attributes, vertices);
  if (key.texcoord != kGltfNone) {
    read_texcoords(key.texcoord, attributes, "TEXCOORD_0", &Vertex::texcoord, vertices);
  }
  if (key.second_texcoord != kGltfNone) {
    read_texcoords(key.second_texcoord, attributes, "TEXCOORD_1", &Vertex::second_texcoord, vertices);
  }
  if (key.color != kGltfNone) read_colors(key, attributes, vertices);
  return vertices;
}

void GltfMeshes::read_positions(uint64_t accessor, const GltfPart& attributes, std::vector<Vertex>& vertices) {
  const std::vector<float> values = data_.floats(accessor, kThree, attributes, "POSITION");
  vertices.resize(values.size() / 3);
  for (size_t i = 0; i < vertices.size(); i++) {
    vertices[i].position = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
    if (!is_usable(vertices[i].position)) {
      attributes.fail_at("POSITION", "one is not finite or beyond 1e15; scale the model");
    }
  }
}

void GltfMeshes::read_normals(uint64_t accessor, const GltfPart& attributes, std::vector<Vertex>& vertices) {
  const std::vector<float> values = data_.floats(accessor, kThree, attributes, "NORMAL");
  if (values.size() != vertices.size() * 3) attributes.fail_at("NORMAL", kTooFew);
  for (size_t i = 0; i < vertices.size(); i++) {
    const glm::vec3 normal(values[3 * i], values[3 * i + 1], values[3 * i + 2]);
    const float length = is_usable(normal) ? glm::length(normal) : 0.0f;
    vertices[i].normal = length > 1e-12f ? normal / length : glm::vec3(0, 1, 0);
  }
}

// Rows of pictures run upwards in a Frame.
void GltfMeshes::read_texcoords(uint64_t accessor, const GltfPart& attributes, const char* name,
                                glm::vec2 Vertex::*member, std::vector<Vertex>& vertices) {
  const std::vector<float> values = data_.floats(accessor, kTwo, attributes, name);
  if (values.size() != vertices.size() * 2) attributes.fail_at(name, kTooFew);
  for (size_t i = 0; i < vertices.size(); i++) {
    const glm::vec3 texcoord(values[2 * i], 1 - values[2 * i + 1], 0);
    if (is_usable(texcoord)) vertices[i].*member = glm::vec2(texcoord);
  }
}

void GltfMeshes::read_colors(const Key& key, const GltfPart& attributes, std::vector<Vertex>& vertices) {
  uint32_t components = 0;
  const std::vector<float> values = data_.floats(key.color, kThreeOrFour, attributes, "COLOR_0", &components);
  if (values.size() != vertices.size() * components) attributes.fail_at("COLOR_0", kTooFew);
  const uint32_t used = key.opaque ? 3 : components;
  for (size_t i = 0; i < vertices.size(); i++) {
    for (uint32_t k = 0; k < used; k++) {
      const float value = values[i * components + k];
      vertices[i].color[int(k)] = value > 0 ? std::min(value, 1.0f) : 0.0f;  // NaN is 0
    }
  }
}

// The primitive's triangles as a list of vertices, of which there are `count`.
std::vector<uint32_t> GltfMeshes::triangles(const GltfPart& primitive, const Shape& shape, uint32_t count) {
  constexpr uint64_t kStrip = 5;
  std::vector<uint32_t> elements;
  if (shape.indices != kGltfNone) {
    elements = data_.indices(shape.indices, primitive, "indices");
    if (*std::max_element(elements.begin(), elements.end()) >= count) {
      primitive.fail_at("indices", fmt::format("one is not among the {} vertices; export the file again", count));
    }
  } else {
    elements.resize(count);
    for (uint32_t i = 0; i < count; i++) elements[i] = i;
  }
  const Assembly assembly = shape.mode < kStrip    ? Assembly::list
                            : shape.mode == kStrip ? Assembly::strip
                                                   : Assembly::fan;
  const size_t number = assembly == Assembly::list ? elements.size() / 3 : std::max<size_t>(elements.size(), 2) - 2;
  if (number > kMaxTriangles) primitive.fail_at("indices", "there are more than 67 million triangles; split the mesh");
  std::vector<uint32_t> list;
  list.reserve(number * 3);
  for (size_t i = 0; i < number; i++) {
    uint32_t corner[3];
    triangle_elements(assembly, uint32_t(i), corner);
    for (const uint32_t k : corner) list.push_back(elements[k]);
  }
  return list;
}

GltfMesh GltfMeshes::add(const std::vector<Vertex>& vertices, const Key& key) {
  // Vertices before these have none.
  if (key.second_texcoord != kGltfNone) frame_.second_texcoords.resize(frame_.positions.size(), glm::vec2(0));
  if (key.color != kGltfNone) frame_.colors.resize(frame_.positions.size(), glm::vec4(1));
  GltfMesh mesh{.first_vertex = frame_.positions.size(), .vertices = uint32_t(vertices.size())};
  has_second_texcoords_ |= key.second_texcoord != kGltfNone;
  has_colors_ |= key.color != kGltfNone;
  for (const Vertex& vertex : vertices) {
    add_vertex(vertex);
    mesh.bounds.add(vertex.position);
  }
  return mesh;
}

void GltfMeshes::add_vertex(const Vertex& vertex) {
  if (frame_.positions.size() >= kMaxFrameVertices) fail("field 'meshes': there are too many vertices; split the file");
  frame_.positions.emplace_back(vertex.position, 1.0f);
  frame_.normals.push_back(vertex.normal);
  frame_.texcoords.push_back(vertex.texcoord);
  if (has_second_texcoords_) frame_.second_texcoords.push_back(vertex.second_texcoord);
  if (has_colors_) frame_.colors.push_back(vertex.color);
}

}  // namespace brokkr
