#include "formats/gltf_parts.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/matrix_inverse.hpp>
#include <glm/matrix.hpp>
#include <utility>

#include "base/failure.h"
#include "formats/marks.h"
#include "formats/obj.h"
#include "frame/frame_tables.h"

namespace brokkr {
namespace {

constexpr uint64_t kTriangles = 4;  // the first mode after points and lines
constexpr std::array<uint32_t, 1> kTwo = {2}, kThree = {3}, kFour = {4};
constexpr std::array<uint32_t, 2> kThreeOrFour = {3, 4};
const char* const kTooFew = "there are not as many as positions; export the file again";

// Makes three separate vertices for every triangle, with the triangle's normal.
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

// Normalizes a vector. A vector of unit length is unchanged to the bit.
glm::vec3 unit_normal(const glm::vec3& normal) {
  const float length = is_usable(normal) ? glm::length(normal) : 0.0f;
  if (!(length > 1e-12f)) return {0, 1, 0};
  return std::abs(length - 1) < 1e-6f ? normal : normal / length;
}

}  // namespace

bool GltfMeshes::is_drawn(const GltfPart& primitive) {
  constexpr uint64_t kFan = 6;
  if (primitive.whole("mode", kTriangles) > kFan)
    primitive.fail_at("mode", "it is outside 0..6; export the file again");
  return primitive.part("attributes").has("POSITION");
}

bool GltfMeshes::is_of_marks(const GltfPart& primitive) { return primitive.whole("mode", kTriangles) < kTriangles; }

// Finds the accessors that fit the positions.
GltfMeshes::Key GltfMeshes::usable_key(const GltfPart& primitive, bool opaque, bool second_texcoords) {
  const GltfPart attributes = primitive.part("attributes");
  const uint64_t position = attributes.whole("POSITION");
  const uint64_t count = data_.elements_of(position, attributes, "POSITION");
  const auto fitting = [&](const char* name) {
    const uint64_t accessor = attributes.whole(name, kGltfNone);
    if (accessor == kGltfNone || data_.elements_of(accessor, attributes, name) == count) return accessor;
    data_.warn(fmt::format("{}, field '{}': {}; drawn without", attributes.place(), name, kTooFew));
    return kGltfNone;
  };
  Key key{.position = position,
          .normal = fitting("NORMAL"),
          .texcoord = fitting("TEXCOORD_0"),
          .second_texcoord = second_texcoords ? fitting("TEXCOORD_1") : kGltfNone,
          .color = fitting("COLOR_0"),
          .opaque = false};
  key.opaque = key.color != kGltfNone && opaque;
  if (attributes.has("COLOR_1")) data_.warn("COLOR_1 and above are not drawn");
  return key;
}

GltfMesh GltfMeshes::read(const GltfPart& primitive, bool opaque, bool second_texcoords, const GltfPose& pose) {
  const GltfPart attributes = primitive.part("attributes");
  if (primitive.part("extensions").has("KHR_draco_mesh_compression") &&
      !data_.has_values(attributes.whole("POSITION"), attributes, "POSITION")) {
    data_.unpack_draco(primitive);
  }
  const Shape shape{.key = usable_key(primitive, opaque, second_texcoords),
                    .indices = primitive.whole("indices", kGltfNone),
                    .mode = primitive.whole("mode", 4)};
  const bool is_moved =
      (!pose.weights.empty() && primitive.has("targets")) || (!pose.joints.empty() && attributes.has("JOINTS_0"));
  if (!is_moved) {
    const auto found = meshes_.find(shape);
    if (found != meshes_.end()) return found->second;
  }
  const bool is_flat = shape.key.normal == kGltfNone;
  const auto shared = is_moved ? vertices_.end() : vertices_.find(shape.key);
  GltfMesh mesh;
  std::vector<uint32_t> list;
  if (!is_flat && shared != vertices_.end()) {
    mesh = shared->second.first;
    list = triangles(primitive, shape, shared->second.second);
  } else {
    std::vector<Vertex> vertices = posed_vertices(primitive, shape.key, pose);
    std::vector<bool> usable(vertices.size());
    for (size_t i = 0; i < vertices.size(); i++) {
      usable[i] = is_usable(vertices[i].position);
      if (!usable[i]) vertices[i].position = glm::vec3(NAN);  // no triangle uses it
    }
    list = triangles(primitive, shape, usable);
    mesh = add(is_flat ? flat(vertices, list) : vertices, shape.key);
    if (!is_flat && !is_moved) vertices_.emplace(shape.key, std::pair(mesh, std::move(usable)));
  }
  mesh.first_index = frame_.indices.size();
  mesh.indices = uint32_t(list.size());
  for (size_t i = 0; i < list.size(); i++) frame_.indices.push_back(is_flat ? uint32_t(i) : list[i]);
  if (!is_moved) meshes_.emplace(shape, mesh);
  return mesh;
}

std::vector<GltfMeshes::Vertex> GltfMeshes::posed_vertices(const GltfPart& primitive, const Key& key,
                                                           const GltfPose& pose) {
  const GltfPart attributes = primitive.part("attributes");
  std::vector<Vertex> vertices = read_vertices(key, attributes);
  if (!pose.weights.empty() && primitive.has("targets"))
    morph(primitive, pose.weights, key.normal != kGltfNone, vertices);
  if (!pose.joints.empty() && attributes.has("JOINTS_0")) skin(attributes, pose.joints, vertices);
  return vertices;
}

GltfMarks GltfMeshes::read_marks(const GltfPart& primitive, bool opaque, bool second_texcoords, const GltfPose& pose) {
  constexpr uint64_t kPoints = 0, kLines = 1, kLoop = 2;
  const uint64_t mode = primitive.whole("mode");
  const Key key = usable_key(primitive, opaque, second_texcoords);
  GltfMarks marks;
  marks.are_lines = mode != kPoints;
  marks.has_normals = key.normal != kGltfNone;
  marks.has_colors = key.color != kGltfNone;
  for (const Vertex& vertex : posed_vertices(primitive, key, pose)) {
    marks.positions.push_back(vertex.position);
    marks.normals.push_back(vertex.normal);
    marks.texcoords.push_back(vertex.texcoord);
    marks.colors.push_back(vertex.color);
  }
  std::vector<uint32_t> elements;
  if (primitive.has("indices")) {
    elements = data_.indices(primitive.whole("indices"), primitive, "indices");
  } else {
    for (uint32_t i = 0; i < marks.positions.size(); i++) elements.push_back(i);
  }
  const auto add = [&](std::initializer_list<uint32_t> ends) {
    for (const uint32_t end : ends) {
      if (end >= marks.positions.size()) {
        return data_.loading().warn("index", "{}, field 'indices': vertex {} is not among the {}; its {} is left out",
                                    primitive.place(), end, marks.positions.size(), marks.are_lines ? "line" : "point");
      }
      if (!is_usable(marks.positions[end])) {
        return data_.loading().warn("nan",
                                    "{}, field 'POSITION': a vertex is not finite or beyond 1e15; its {} is left out",
                                    primitive.place(), marks.are_lines ? "line" : "point");
      }
    }
    for (const uint32_t end : ends) {
      marks.ends.push_back(end);
      marks.bounds.add(marks.positions[end]);
    }
  };
  const size_t count = elements.size();
  if (mode == kPoints) {
    for (const uint32_t element : elements) add({element});
  } else {
    for (size_t i = 1; i < count; i += mode == kLines ? 2 : 1) add({elements[i - 1], elements[i]});
    if (mode == kLoop && count > 2) add({elements.back(), elements.front()});
  }
  return marks;
}

GltfMesh GltfMeshes::solids(const GltfMarks& marks, const std::vector<glm::mat4>& models, float radius) {
  const size_t per_mark = marks.are_lines ? 2 : 1;
  const Solid solid = marks.are_lines ? bar() : octahedron();
  const uint64_t count = marks.ends.size() / per_mark * models.size();
  if (count * solid.triangles.size() > kMaxTriangles)
    fail_limit("field 'primitives': {} points and lines are above the limit of 67 million triangles; thin them out",
               count);
  data_.loading().need(count * (solid.corners.size() * sizeof(Vertex) + solid.triangles.size() * 12), "primitives");
  Key key{kGltfNone, kGltfNone, kGltfNone, kGltfNone, marks.has_colors ? 0 : kGltfNone, false};
  std::vector<Vertex> vertices;
  std::vector<uint32_t> list;
  for (const glm::mat4& model : models) {
    const glm::mat3 to_normal = glm::inverseTranspose(glm::mat3(model));
    for (size_t i = 0; i + per_mark <= marks.ends.size(); i += per_mark) {
      data_.loading().step();
      const uint32_t a = marks.ends[i], b = marks.ends[i + per_mark - 1];
      const glm::vec3 from(model * glm::vec4(marks.positions[a], 1)), to(model * glm::vec4(marks.positions[b], 1));
      const auto first = uint32_t(vertices.size());
      const glm::mat3 axes = across(to - from);
      for (const glm::vec3& corner : solid.corners) {
        const uint32_t end = corner.z > 0 ? b : a;
        Vertex vertex;
        vertex.position = (corner.z > 0 ? to : from) + axes * (corner * radius);
        vertex.normal = marks.has_normals ? unit_normal(to_normal * marks.normals[end]) : glm::vec3(0, 1, 0);
        vertex.texcoord = marks.texcoords[end];
        vertex.color = marks.colors[end];
        vertices.push_back(vertex);
      }
      for (const auto& triangle : solid.triangles) {
        for (const uint32_t corner : triangle) list.push_back(first + corner);
      }
    }
  }
  GltfMesh mesh = add(vertices, key);
  mesh.first_index = frame_.indices.size();
  mesh.indices = uint32_t(list.size());
  frame_.indices.insert(frame_.indices.end(), list.begin(), list.end());
  return mesh;
}

// Adds the targets' differences, each multiplied by its weight [Gltf20, 3.7.2.2].
void GltfMeshes::morph(const GltfPart& primitive, const std::vector<float>& weights, bool has_normals,
                       std::vector<Vertex>& vertices) {
  const std::vector<GltfPart> targets = primitive.parts("targets");
  for (size_t t = 0; t < std::min(targets.size(), weights.size()); t++) {
    if (weights[t] == 0) continue;
    const auto add = [&](const char* name, glm::vec3 Vertex::*member) {
      if (!targets[t].has(name)) return;
      const std::vector<float> values = data_.floats(targets[t].whole(name), kThree, targets[t], name);
      if (values.size() != vertices.size() * 3) targets[t].fail_at(name, kTooFew);
      for (size_t i = 0; i < vertices.size(); i++) {
        vertices[i].*member += weights[t] * glm::vec3(values[3 * i], values[3 * i + 1], values[3 * i + 2]);
      }
    };
    add("POSITION", &Vertex::position);
    if (has_normals) add("NORMAL", &Vertex::normal);
    if (targets[t].has("TEXCOORD_0") || targets[t].has("COLOR_0")) {
      data_.warn("morph targets of texture coordinates and colours are not supported");
    }
  }
  for (Vertex& vertex : vertices) vertex.normal = unit_normal(vertex.normal);
}

// Linear blend skinning [Gltf20, 3.7.3]: the mean of its joints' matrices moves each vertex.
void GltfMeshes::skin(const GltfPart& attributes, const std::vector<glm::mat4>& joints, std::vector<Vertex>& vertices) {
  std::vector<glm::mat4> sums(vertices.size(), glm::mat4(0));
  std::vector<float> totals(vertices.size(), 0.0f);
  data_.loading().check(vertices.size() * (sizeof(glm::mat4) + sizeof(float)), "JOINTS_0");
  for (int set = 0; set < 16 && attributes.has(fmt::format("JOINTS_{}", set).c_str()); set++) {
    const std::string joint_name = fmt::format("JOINTS_{}", set), weight_name = fmt::format("WEIGHTS_{}", set);
    const std::vector<float> numbers =
        data_.floats(attributes.whole(joint_name.c_str()), kFour, attributes, joint_name.c_str());
    const std::vector<float> weights =
        data_.floats(attributes.whole(weight_name.c_str()), kFour, attributes, weight_name.c_str());
    if (numbers.size() != vertices.size() * 4) attributes.fail_at(joint_name.c_str(), kTooFew);
    if (weights.size() != vertices.size() * 4) attributes.fail_at(weight_name.c_str(), kTooFew);
    for (size_t i = 0; i < numbers.size(); i++) {
      if (!(weights[i] > 0)) continue;
      if (!(numbers[i] < float(joints.size()))) {
        data_.warn(fmt::format("{}, field '{}': joint {} is not among the {}; left out", attributes.place(), joint_name,
                               numbers[i], joints.size()));
        continue;
      }
      sums[i / 4] += joints[size_t(numbers[i])] * weights[i];
      totals[i / 4] += weights[i];
    }
  }
  for (size_t i = 0; i < vertices.size(); i++) {
    data_.loading().step(i, vertices.size());
    if (!(totals[i] > 0)) continue;
    // Weights of normalized integers do not add up to 1 to the last bit.
    const glm::mat4 matrix = totals[i] == 1 ? sums[i] : sums[i] / totals[i];
    vertices[i].position = glm::vec3(matrix * glm::vec4(vertices[i].position, 1));
    const glm::mat3 linear(matrix);
    if (linear == glm::mat3(1)) continue;
    const float determinant = glm::determinant(linear);
    if (std::abs(determinant) > 1e-20f)
      vertices[i].normal = unit_normal(glm::inverse(glm::transpose(linear)) * vertices[i].normal);
  }
}

GltfMesh GltfMeshes::with_normals_for(const GltfMesh& mesh, const glm::mat3& model) {
  if (mesh.vertices > copies_left_) {
    fail_limit(
        "field 'nodes': too many are scaled by different factors along the axes; apply their scale to the meshes");
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

// In a Frame, rows of pictures run upwards.
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
      vertices[i].color[int(k)] = value > 0 ? std::min(value, 1.0f) : 0.0f;  // NaN becomes 0
    }
  }
}

// The primitive's triangles as a list of vertices. Vertices that are not `usable` are not corners of any triangle.
std::vector<uint32_t> GltfMeshes::triangles(const GltfPart& primitive, const Shape& shape,
                                            const std::vector<bool>& usable) {
  constexpr uint64_t kStrip = 5;
  std::vector<uint32_t> elements;
  if (shape.indices != kGltfNone) {
    elements = data_.indices(shape.indices, primitive, "indices");
  } else {
    elements.resize(usable.size());
    for (uint32_t i = 0; i < usable.size(); i++) elements[i] = i;
  }
  const Assembly assembly = shape.mode < kStrip    ? Assembly::list
                            : shape.mode == kStrip ? Assembly::strip
                                                   : Assembly::fan;
  const size_t number = assembly == Assembly::list ? elements.size() / 3 : std::max<size_t>(elements.size(), 2) - 2;
  if (number > kMaxTriangles)
    fail_limit("{}, field 'indices': there are more than 67 million triangles; split the mesh", primitive.place());
  std::vector<uint32_t> list;
  list.reserve(number * 3);
  for (size_t i = 0; i < number; i++) {
    uint32_t corner[3];
    triangle_elements(assembly, uint32_t(i), corner);
    if (std::ranges::all_of(corner, [&](uint32_t k) { return elements[k] < usable.size() && usable[elements[k]]; })) {
      for (const uint32_t k : corner) list.push_back(elements[k]);
      continue;
    }
    const auto* const missing = std::ranges::find_if(corner, [&](uint32_t k) { return elements[k] >= usable.size(); });
    if (missing != std::end(corner)) {
      data_.loading().warn("index", "{}, field 'indices': vertex {} is not among the {}; its triangle is left out",
                           primitive.place(), elements[*missing], usable.size());
    } else {
      data_.loading().warn("nan",
                           "{}, field 'POSITION': a vertex is not finite or beyond 1e15; its triangle is left out",
                           primitive.place());
    }
  }
  return list;
}

GltfMesh GltfMeshes::add(const std::vector<Vertex>& vertices, const Key& key) {
  // Earlier vertices have no coordinates or colours yet.
  if (key.second_texcoord != kGltfNone) frame_.second_texcoords.resize(frame_.positions.size(), glm::vec2(0));
  if (key.color != kGltfNone) frame_.colors.resize(frame_.positions.size(), glm::vec4(1));
  GltfMesh mesh{.first_vertex = frame_.positions.size(), .vertices = uint32_t(vertices.size())};
  has_second_texcoords_ |= key.second_texcoord != kGltfNone;
  has_colors_ |= key.color != kGltfNone;
  for (const Vertex& vertex : vertices) {
    const bool is_seen = !std::isnan(vertex.position.x);
    add_vertex(vertex);
    if (is_seen) mesh.bounds.add(vertex.position);
  }
  return mesh;
}

void GltfMeshes::add_vertex(const Vertex& vertex) {
  if (frame_.positions.size() >= kMaxFrameVertices)
    fail_limit("field 'meshes': there are too many vertices; split the file");
  const bool is_seen = !std::isnan(vertex.position.x);
  frame_.positions.emplace_back(is_seen ? vertex.position : glm::vec3(0), 1.0f);
  frame_.normals.push_back(vertex.normal);
  frame_.texcoords.push_back(vertex.texcoord);
  if (has_second_texcoords_) frame_.second_texcoords.push_back(vertex.second_texcoord);
  if (has_colors_) frame_.colors.push_back(vertex.color);
}

}  // namespace brokkr
