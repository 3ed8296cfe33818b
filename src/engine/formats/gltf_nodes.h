// The nodes of a glTF file's scene: where meshes are, and from where it is seen.
#pragma once

#include <cstdint>
#include <glm/mat4x4.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/gltf_data.h"

namespace brokkr {

struct GltfCamera {
  glm::mat4 model;
  float fov, near_plane, far_plane;  // fov in degrees; planes are 0 where the file names none
  float height = 0;                  // of what it sees, for an orthographic one; 0: it has a perspective
};

// A mesh as nodes show it.
struct GltfPlacement {
  uint64_t mesh, skin = kGltfNone;
  std::vector<float> weights;  // of morph targets; empty: the mesh's own
  auto operator<=>(const GltfPlacement&) const = default;
};

struct GltfLight {
  std::string kind;  // "directional", "point" or "spot"
  glm::mat4 model;
};

class GltfNodes {
 public:
  explicit GltfNodes(GltfData& data);

  // Where each mesh is, and one that is not in the file is not.
  std::map<GltfPlacement, std::vector<glm::mat4>> meshes;
  // The first one with perspective, else the first one.
  std::optional<GltfCamera> camera;
  std::vector<GltfLight> lights;
  // Matrices that place a skin's vertices in the world, joint by joint. Throws std::runtime_error.
  std::vector<glm::mat4> joints(uint64_t skin, const GltfPart& from) const;

 private:
  GltfPart shown_scene() const;
  std::vector<uint64_t> roots(const GltfPart& scene) const;
  void visit(const GltfPart& node, const glm::mat4& model);
  void use_camera(const GltfPart& node, const glm::mat4& model);
  std::vector<glm::mat4> instances(const GltfPart& node, const glm::mat4& model) const;

  GltfData& data_;
  std::vector<glm::mat4> world_;  // of each node; of those outside of the scene the identity
};

}  // namespace brokkr
