#include "formats/gltf_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <glm/ext/matrix_transform.hpp>
#include <glm/gtc/quaternion.hpp>
#include <set>
#include <utility>

#include "formats/obj.h"

namespace brokkr {
namespace {

glm::mat4 local(const GltfPart& node) {
  if (node.has("matrix")) {
    const auto values = node.numbers<16>("matrix", {});
    glm::mat4 matrix(1.0f);
    for (int i = 0; i < 16; i++) matrix[i / 4][i % 4] = i % 4 == 3 ? (i == 15 ? 1.0f : 0.0f) : float(values[size_t(i)]);
    return matrix;
  }
  const auto t = node.numbers<3>("translation", {0, 0, 0}), s = node.numbers<3>("scale", {1, 1, 1});
  const auto r = node.numbers<4>("rotation", {0, 0, 0, 1});
  glm::dquat rotation(r[3], r[0], r[1], r[2]);
  const double length = glm::length(rotation);
  rotation = length > 0 ? rotation / length : glm::dquat(1, 0, 0, 0);
  glm::dmat4 matrix = glm::mat4_cast(rotation);
  for (int i = 0; i < 3; i++) matrix[i] *= s[size_t(i)];
  matrix[3] = glm::dvec4(t[0], t[1], t[2], 1);
  return glm::mat4(matrix);
}

}  // namespace

GltfNodes::GltfNodes(const GltfData& data, GltfWarnings& warnings) : data_(data), warnings_(warnings) {
  // Where each node is listed: kNowhere, kInScene, or the number of its parent.
  constexpr uint64_t kNowhere = ~uint64_t(0), kInScene = kNowhere - 1;
  std::vector<uint64_t> listed(data_.count("nodes"), kNowhere);
  const auto list = [&](uint64_t number, uint64_t where, const GltfPart& part, const char* key) {
    data_.element("nodes", number, part, key);
    uint64_t& known = listed[size_t(number)];
    const auto refuse = [&](const std::string& what) {
      part.fail_at(key, fmt::format("node {} {}; export the file again", number, what));
    };
    if (number == where) refuse("is a child of itself");
    if (known == where) refuse("is there twice");
    if (known == kInScene) refuse("is in the scene's own list as well");
    if (known != kNowhere) refuse(fmt::format("is a child of node {} as well", known));
    known = where;
  };
  const GltfPart scene = shown_scene();
  std::vector<std::pair<uint64_t, glm::mat4>> open;
  for (const uint64_t root : roots(scene)) {
    list(root, kInScene, scene, "nodes");
    open.emplace_back(root, glm::mat4(1));
  }
  std::reverse(open.begin(), open.end());
  while (!open.empty()) {
    const auto [number, parent] = open.back();
    open.pop_back();
    const GltfPart node = data_.element("nodes", number, data_.root(), "nodes");
    const glm::mat4 model = parent * local(node);
    visit(node, model);
    const std::vector<uint64_t> children = node.wholes("children");
    for (size_t i = children.size(); i-- > 0;) {
      list(children[i], number, node, "children");
      open.emplace_back(children[i], model);
    }
  }
}

// The file itself where it has no scenes.
GltfPart GltfNodes::shown_scene() const {
  const GltfPart root = data_.root();
  return data_.count("scenes") > 0 ? data_.element("scenes", root.whole("scene", 0), root, "scene") : root;
}

// Without scenes, all nodes that are children of none.
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
  for (int column = 0; column < 4; column++) {
    if (!is_usable(glm::vec3(model[column])))
      node.fail_at("matrix", "it is not finite or beyond 1e15; scale the model");
  }
  if (node.has("mesh")) {
    const uint64_t mesh = node.whole("mesh");
    data_.element("meshes", mesh, node, "mesh");
    // Joints alone place a skinned mesh; in the pose that it was bound in, they leave it where it is.
    meshes[mesh].push_back(node.has("skin") ? glm::mat4(1) : model);
    if (node.has("skin")) warnings_.add("skins are not followed; the pose that they were bound in is drawn");
  }
  if (node.has("camera") && !camera) use_camera(node, model);
}

void GltfNodes::use_camera(const GltfPart& node, const glm::mat4& model) {
  const GltfPart part = data_.element("cameras", node.whole("camera"), node, "camera");
  const GltfPart perspective = part.part("perspective");
  if (!part.has("perspective")) return warnings_.add("orthographic cameras are not used");
  const double fov = perspective.number("yfov", 0.8) * 180 / 3.14159265358979324;
  camera = {model, float(std::clamp(fov, 1.0, 170.0)), float(std::clamp(perspective.number("znear", 0), 0.0, 1e15)),
            float(std::clamp(perspective.number("zfar", 0), 0.0, 1e15))};
}

}  // namespace brokkr
