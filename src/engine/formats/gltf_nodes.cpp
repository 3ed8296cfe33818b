#include "formats/gltf_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/ext/matrix_transform.hpp>
#include <glm/gtc/quaternion.hpp>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/failure.h"
#include "formats/obj.h"

namespace brokkr {
namespace {

constexpr std::array<uint32_t, 1> kVec3 = {3}, kVec4 = {4}, kMat4 = {16};

glm::mat4 placed(const std::array<double, 3>& t, const std::array<double, 4>& r, const std::array<double, 3>& s) {
  glm::dquat rotation(r[3], r[0], r[1], r[2]);
  const double length = glm::length(rotation);
  rotation = length > 0 ? rotation / length : glm::dquat(1, 0, 0, 0);
  glm::dmat4 matrix = glm::mat4_cast(rotation);
  for (int i = 0; i < 3; i++) matrix[i] *= s[size_t(i)];
  matrix[3] = glm::dvec4(t[0], t[1], t[2], 1);
  return glm::mat4(matrix);
}

glm::mat4 local(const GltfPart& node) {
  if (node.has("matrix")) {
    const auto values = node.numbers<16>("matrix", {});
    glm::mat4 matrix(1.0f);
    for (int i = 0; i < 16; i++) matrix[i / 4][i % 4] = i % 4 == 3 ? (i == 15 ? 1.0f : 0.0f) : float(values[size_t(i)]);
    return matrix;
  }
  const auto t = node.numbers<3>("translation", {0, 0, 0}), s = node.numbers<3>("scale", {1, 1, 1});
  return placed(t, node.numbers<4>("rotation", {0, 0, 0, 1}), s);
}

bool is_usable_model(const glm::mat4& model) {
  for (int column = 0; column < 4; column++) {
    if (!is_usable(glm::vec3(model[column]))) return false;
  }
  return true;
}

}  // namespace

GltfNodes::GltfNodes(GltfData& data) : data_(data), world_(data.count("nodes"), glm::mat4(1)) {
  struct Open {
    uint64_t number;
    glm::mat4 parent;
    bool visible;
  };
  // The place of each node: kNowhere, kInScene, or the number of its parent.
  constexpr uint64_t kNowhere = ~uint64_t(0), kInScene = kNowhere - 1;
  std::vector<uint64_t> listed(data_.count("nodes"), kNowhere);
  std::vector<Open> open;
  const auto list = [&](const Open& node, uint64_t where, const GltfPart& part, const char* key) {
    const auto leave_out = [&](const std::string& what) {
      data_.warn(fmt::format("{}, field '{}': {}; left out there", part.place(), key, what));
    };
    if (node.number >= listed.size())
      return leave_out(fmt::format("{} is not among the {} nodes", node.number, listed.size()));
    uint64_t& known = listed[size_t(node.number)];
    if (node.number == where) return leave_out(fmt::format("node {} is a child of itself", node.number));
    if (known == where) return leave_out(fmt::format("node {} is there twice", node.number));
    if (known == kInScene) return leave_out(fmt::format("node {} is in the scene's own list as well", node.number));
    if (known != kNowhere) return leave_out(fmt::format("node {} is a child of node {} as well", node.number, known));
    known = where;
    open.push_back(node);
  };
  const GltfPart scene = shown_scene();
  for (const uint64_t root : roots(scene)) list({root, glm::mat4(1), true}, kInScene, scene, "nodes");
  std::reverse(open.begin(), open.end());
  while (!open.empty()) {
    data_.loading().step();
    const Open next = open.back();
    open.pop_back();
    try {
      const GltfPart node = data_.element("nodes", next.number, data_.root(), "nodes");
      const glm::mat4 model = next.parent * local(node);
      if (!is_usable_model(model)) node.fail_at("matrix", "it is not finite or beyond 1e15; scale the model");
      world_[size_t(next.number)] = model;
      const bool visible = next.visible && node.part("extensions").part("KHR_node_visibility").flag("visible", true);
      const size_t first = open.size();
      for (const uint64_t child : node.wholes("children")) list({child, model, visible}, next.number, node, "children");
      std::reverse(open.begin() + std::ptrdiff_t(first), open.end());
      if (visible) visit(node, model);
    } catch (const LimitReached&) {
      throw;
    } catch (const std::runtime_error& problem) {
      data_.warn(std::string(problem.what()) + "; the node is left out");
    }
  }
}

// Returns the file itself if it has no scenes.
GltfPart GltfNodes::shown_scene() const {
  GltfPart root = data_.root();
  const size_t count = data_.count("scenes");
  if (count == 0) return root;
  uint64_t scene = 0;
  try {
    scene = root.whole("scene", 0);
  } catch (const std::runtime_error& problem) {
    data_.warn(std::string(problem.what()) + "; the first scene is drawn");
  }
  if (scene >= count) {
    data_.warn(fmt::format("field 'scene': {} is not among the {} scenes; the first is drawn", scene, count));
    scene = 0;
  }
  return data_.element("scenes", scene, root, "scene");
}

// Without scenes, these are all nodes that are no node's children.
std::vector<uint64_t> GltfNodes::roots(const GltfPart& scene) const {
  if (data_.count("scenes") > 0) return scene.wholes("nodes");
  const GltfPart root = data_.root();
  std::set<uint64_t> children;
  for (size_t i = 0; i < data_.count("nodes"); i++) {
    for (const uint64_t child : data_.element("nodes", i, root, "nodes").wholes("children")) children.insert(child);
  }
  std::vector<uint64_t> roots;
  for (size_t i = 0; i < data_.count("nodes"); i++) {
    if (!children.contains(i)) roots.push_back(i);
  }
  return roots;
}

void GltfNodes::visit(const GltfPart& node, const glm::mat4& model) {
  if (node.has("mesh")) {
    GltfPlacement placement{.mesh = node.whole("mesh")};
    data_.element("meshes", placement.mesh, node, "mesh");
    if (node.has("skin")) placement.skin = node.whole("skin");
    placement.weights = node.floats("weights");
    std::vector<glm::mat4>& models = meshes[placement];
    // Only joints place a skinned mesh.
    for (const glm::mat4& one : instances(node, node.has("skin") ? glm::mat4(1) : model)) models.push_back(one);
  }
  const bool wanted = !camera || camera->height > 0;
  if (node.has("camera") && wanted) use_camera(node, model);
  const GltfPart light = node.part("extensions").part("KHR_lights_punctual");
  if (light.has("light")) {
    const std::vector<GltfPart> all = data_.root().part("extensions").part("KHR_lights_punctual").parts("lights");
    const uint64_t number = light.whole("light");
    if (number >= all.size()) light.fail_at("light", "no light has this number; export the file again");
    lights.push_back({all[size_t(number)].text("type"), model});
  }
}

// The places of the node: its own, or those that EXT_mesh_gpu_instancing lists.
std::vector<glm::mat4> GltfNodes::instances(const GltfPart& node, const glm::mat4& model) const {
  const GltfPart extension = node.part("extensions").part("EXT_mesh_gpu_instancing");
  const GltfPart attributes = extension.part("attributes");
  std::array<std::vector<float>, 3> lists;  // translations, rotations, scales
  const std::array<std::pair<const char*, std::span<const uint32_t>>, 3> names = {
      {{"TRANSLATION", kVec3}, {"ROTATION", kVec4}, {"SCALE", kVec3}}};
  size_t count = 0;
  for (size_t i = 0; i < names.size(); i++) {
    const auto& [name, components] = names[i];
    if (!attributes.has(name)) continue;
    lists[i] = data_.floats(attributes.whole(name), components, attributes, name);
    const size_t own = lists[i].size() / components[0];
    if (count != 0 && own != count) extension.fail_at("attributes", "their numbers differ; export the file again");
    count = own;
  }
  if (count == 0) return {model};
  data_.loading().need(count * sizeof(glm::mat4) * 3, "EXT_mesh_gpu_instancing");
  std::vector<glm::mat4> result;
  const auto number = [&](size_t list, size_t index, double missing) {
    return lists[list].empty() ? missing : double(lists[list][index]);
  };
  for (size_t i = 0; i < count; i++) {
    data_.loading().step();
    const glm::mat4 own =
        placed({number(0, 3 * i, 0), number(0, 3 * i + 1, 0), number(0, 3 * i + 2, 0)},
               {number(1, 4 * i, 0), number(1, 4 * i + 1, 0), number(1, 4 * i + 2, 0), number(1, 4 * i + 3, 1)},
               {number(2, 3 * i, 1), number(2, 3 * i + 1, 1), number(2, 3 * i + 2, 1)});
    result.push_back(model * own);
    if (is_usable_model(result.back())) continue;
    result.pop_back();
    data_.warn(fmt::format("{}: an instance is not finite or beyond 1e15; it is left out", node.place()));
  }
  return result;
}

std::vector<glm::mat4> GltfNodes::joints(uint64_t skin, const GltfPart& referrer) const {
  const GltfPart part = data_.element("skins", skin, referrer, "skin");
  const std::vector<uint64_t> nodes = part.wholes("joints");
  std::vector<float> inverse;
  if (part.has("inverseBindMatrices")) {
    inverse = data_.floats(part.whole("inverseBindMatrices"), kMat4, part, "inverseBindMatrices");
    if (inverse.size() < nodes.size() * 16) part.fail_at("inverseBindMatrices", "there are not as many as joints");
  }
  std::vector<glm::mat4> result;
  for (size_t i = 0; i < nodes.size(); i++) {
    data_.element("nodes", nodes[i], part, "joints");
    glm::mat4 bind(1);
    for (int k = 0; k < 16 && !inverse.empty(); k++) bind[k / 4][k % 4] = inverse[i * 16 + size_t(k)];
    result.push_back(world_[size_t(nodes[i])] * bind);
  }
  return result;
}

void GltfNodes::use_camera(const GltfPart& node, const glm::mat4& model) {
  const GltfPart part = data_.element("cameras", node.whole("camera"), node, "camera");
  const GltfPart perspective = part.part("perspective"), orthographic = part.part("orthographic");
  const auto plane = [](const GltfPart& projection, const char* key) {
    return float(std::clamp(projection.number(key, 0), 0.0, 1e15));
  };
  if (part.has("perspective")) {
    const double fov = perspective.number("yfov", 0.8) * 180 / 3.14159265358979324;
    camera = {model, float(std::clamp(fov, 1.0, 170.0)), plane(perspective, "znear"), plane(perspective, "zfar")};
  } else if (!camera) {
    const double half = std::abs(orthographic.number("ymag", 1));
    if (!(half > 1e-12) || half > 1e12) part.fail_at("orthographic", "its ymag is unusable; export the file again");
    camera = {model, 1, plane(orthographic, "znear"), plane(orthographic, "zfar"), float(2 * half)};
  }
}

}  // namespace brokkr
