// The nodes of a glTF file's scene: where meshes are, and from where it is seen.
#pragma once

#include <cstdint>
#include <glm/mat4x4.hpp>
#include <map>
#include <optional>
#include <vector>

#include "formats/gltf_data.h"

namespace brokkr {

struct GltfCamera {
  glm::mat4 model;
  float fov, near_plane, far_plane;  // fov in degrees; planes are 0 where the file names none
};

class GltfNodes {
 public:
  GltfNodes(const GltfData& data, GltfWarnings& warnings);

  // By mesh: where it is.
  std::map<uint64_t, std::vector<glm::mat4>> meshes;
  // The first one with perspective.
  std::optional<GltfCamera> camera;

 private:
  GltfPart shown_scene() const;
  std::vector<uint64_t> roots(const GltfPart& scene) const;
  void visit(const GltfPart& node, const glm::mat4& model);
  void use_camera(const GltfPart& node, const glm::mat4& model);

  const GltfData& data_;
  GltfWarnings& warnings_;
};

}  // namespace brokkr
