#include "formats/gltf.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "base/file_io.h"
#include "formats/gltf_data.h"
#include "formats/gltf_materials.h"
#include "formats/gltf_meshes.h"
#include "formats/gltf_nodes.h"
#include "formats/obj.h"
#include "formats/scene_setup.h"

namespace brokkr {
namespace {

void check_extensions(const GltfPart& root, GltfWarnings& warnings) {
  static const std::set<std::string> kKnown = {"KHR_materials_unlit", "KHR_materials_emissive_strength",
                                               "KHR_mesh_quantization", "KHR_texture_transform"};
  for (const std::string& name : root.texts("extensionsRequired")) {
    if (!kKnown.contains(name)) {
      root.fail_at("extensionsRequired", fmt::format("{} is not known; export without it", name.substr(0, 100)));
    }
  }
  std::string ignored;
  for (const std::string& name : root.texts("extensionsUsed")) {
    if (!kKnown.contains(name)) ignored += (ignored.empty() ? "" : ", ") + name.substr(0, 100);
  }
  if (!ignored.empty()) warnings.add("extensions that are not followed: " + ignored.substr(0, 400));
  if (root.has("animations")) warnings.add("animations are not played; the rest pose is drawn");
}

// Instances of a mesh that can be one draw.
struct Group {
  bool mirrored = false;
  std::optional<glm::mat3> shape;  // a model that scales by different factors along the axes
  std::vector<glm::mat4> models;
};

// What normals see of a model: its symmetric part over its size, in thousandths; empty for a uniform scale.
std::vector<int> shape_of(const glm::mat3& model) {
  const glm::mat3 gram = glm::transpose(model) * model;
  const float size = (gram[0][0] + gram[1][1] + gram[2][2]) / 3;
  if (!(size > 0) || !std::isfinite(size) || !(std::abs(glm::determinant(gram / size)) > 1e-12f)) return {};
  std::vector<int> shape;
  bool uniform = true;
  for (int i = 0; i < 3; i++) {
    for (int k = i; k < 3; k++) {
      shape.push_back(int(std::lround(gram[i][k] / size * 1000)));
      uniform &= std::abs(shape.back() - (i == k ? 1000 : 0)) <= 1;
    }
  }
  return uniform ? std::vector<int>() : shape;
}

std::vector<Group> grouped(const std::vector<glm::mat4>& models) {
  std::map<std::pair<bool, std::vector<int>>, Group> groups;
  for (const glm::mat4& model : models) {
    const glm::mat3 linear(model);
    const bool mirrored = glm::determinant(linear) < 0;
    const std::vector<int> shape = shape_of(linear);
    Group& group = groups[{mirrored, shape}];
    group.mirrored = mirrored;
    if (!shape.empty() && !group.shape) group.shape = linear;
    group.models.push_back(model);
  }
  std::vector<Group> result;
  for (auto& [key, group] : groups) result.push_back(std::move(group));
  return result;
}

class SceneReader {
 public:
  SceneReader(GltfData& data, const LoadOptions& options, const GltfLimits& limits)
      : data_(data),
        options_(options),
        warnings_(frame_.warnings),
        materials_(data, frame_, warnings_, limits.texture_pixels),
        meshes_(data, frame_, warnings_, limits.copied_vertices) {}

  Frame read() {
    check_extensions(data_.root(), warnings_);
    const GltfNodes nodes(data_, warnings_);
    for (const auto& [mesh, models] : nodes.meshes) add_mesh(mesh, models);
    if (opaque_.empty() && blended_.empty()) {
      fail("field 'meshes': the scene shows no triangles; name a file with meshes in its scene");
    }
    meshes_.complete();
    set_up_scene(frame_, bounds_, camera(nodes), options_);
    for (std::vector<Draw>* draws : {&opaque_, &blended_}) {
      for (Draw& draw : *draws) {
        draw.command.view_count = uint32_t(frame_.views.size());
        draw.command.state = state(draw);
        frame_.commands.emplace_back(std::in_place_type<DrawCommand>, std::move(draw.command));
      }
    }
    return std::move(frame_);
  }

 private:
  struct Draw {
    DrawCommand command;
    bool blended, two_sided, mirrored;
  };

  void add_mesh(uint64_t number, const std::vector<glm::mat4>& models) {
    data_.loading().look(frame_.commands.size(), data_.count("meshes"));
    const GltfPart part = data_.element("meshes", number, data_.root(), "meshes");
    std::vector<std::pair<GltfMesh, GltfMaterials::Made>> primitives;
    for (const GltfPart& primitive : part.parts("primitives")) {
      if (primitive.has("targets")) warnings_.add("morph targets are not followed; the rest pose is drawn");
      if (!meshes_.is_drawn(primitive)) continue;
      const GltfMaterials::Made material = materials_.make(primitive.whole("material", kGltfNone), primitive);
      const GltfMesh mesh = meshes_.read(primitive, material.opaque, material.second_texcoords);
      if (mesh.indices > 0) primitives.emplace_back(mesh, material);
    }
    if (primitives.empty()) return;
    const std::string label = part.text("name", fmt::format("mesh {}", number)).substr(0, 256);
    for (const Group& group : grouped(models)) {
      const auto first_instance = uint32_t(frame_.models.size());
      frame_.models.insert(frame_.models.end(), group.models.begin(), group.models.end());
      for (const auto& [mesh, material] : primitives) {
        for (const glm::mat4& model : group.models) add_bounds(mesh.bounds, model, part);
        const GltfMesh own = group.shape ? meshes_.with_normals_for(mesh, *group.shape) : mesh;
        Draw draw{make_draw(own), material.blended, material.two_sided, group.mirrored};
        draw.command.material = material.number;
        draw.command.first_instance = first_instance;
        draw.command.instances = uint32_t(group.models.size());
        draw.command.label = label;
        (draw.blended ? blended_ : opaque_).push_back(std::move(draw));
      }
    }
  }

  static DrawCommand make_draw(const GltfMesh& mesh) {
    DrawCommand draw;
    draw.vertex_kind = VertexKind::transform;
    draw.indexed = true;
    draw.first_index = mesh.first_index;
    draw.element_count = mesh.indices;
    draw.first_vertex = mesh.first_vertex;
    draw.vertex_count = mesh.vertices;
    return draw;
  }

  void add_bounds(const Bounds& bounds, const glm::mat4& model, const GltfPart& mesh) {
    for (int i = 0; i < 8; i++) {
      const glm::vec3 corner(i & 1 ? bounds.high.x : bounds.low.x, i & 2 ? bounds.high.y : bounds.low.y,
                             i & 4 ? bounds.high.z : bounds.low.z);
      const glm::vec3 placed(model * glm::vec4(corner, 1));
      if (!is_usable(placed)) mesh.fail_at("nodes", "one places it beyond 1e15; scale the model");
      bounds_.add(placed);
    }
  }

  // Cameras look along their -z; the point that others turn around is at the depth of the scene's middle.
  std::optional<Camera> camera(const GltfNodes& nodes) const {
    if (!nodes.camera) return std::nullopt;
    const glm::mat4& model = nodes.camera->model;
    const glm::vec3 forward = -glm::vec3(model[2]), up(model[1]);
    Camera camera;
    camera.eye = glm::vec3(model[3]);
    camera.fov = nodes.camera->fov;
    if (!(glm::length(forward) > 1e-12f) || !(glm::length(up) > 1e-12f)) return std::nullopt;
    const glm::vec3 direction = glm::normalize(forward);
    const float depth = glm::dot(bounds_.center() - camera.eye, direction);
    camera.target = camera.eye + direction * std::max(depth, std::max(bounds_.radius() * 1e-2f, 1e-4f));
    camera.up = glm::normalize(up);
    if (camera.target == camera.eye) return std::nullopt;  // so far away that a step is lost
    camera.near_plane = nodes.camera->near_plane;
    if (nodes.camera->far_plane > camera.near_plane) camera.far_plane = nodes.camera->far_plane;
    return camera;
  }

  uint32_t state(const Draw& draw) {
    State state = draw.blended ? blended_state(frame_) : opaque_state(frame_);
    if (!draw.two_sided) state.cull = CullMode::back;
    if (draw.mirrored) state.front_face = FrontFace::cw;
    const auto found = std::find(frame_.states.begin(), frame_.states.end(), state);
    if (found != frame_.states.end()) return uint32_t(found - frame_.states.begin());
    frame_.states.push_back(state);
    return uint32_t(frame_.states.size() - 1);
  }

  GltfData& data_;
  const LoadOptions& options_;
  Frame frame_;
  GltfWarnings warnings_;
  GltfMaterials materials_;
  GltfMeshes meshes_;
  Bounds bounds_;
  std::vector<Draw> opaque_, blended_;
};

}  // namespace

Frame read_gltf(std::span<const std::byte> file, std::string_view name, const ResourceReader& resources,
                const LoadOptions& options, const GltfLimits& limits) {
  return named_frame(name, options, [&](Loading& loading) {
    loading.holds(file.size(), "file");
    loading.until(0.4);
    GltfData data(file, resources, loading);
    loading.until(0.9);
    return SceneReader(data, options, limits).read();
  });
}

Frame read_gltf(const std::filesystem::path& path, const LoadOptions& options, const GltfLimits& limits) {
  Loading loading(options);
  const std::vector<std::byte> file = read_file(path, limits.file_bytes, &loading);
  const uint64_t most = std::min(limits.file_bytes, loading.left());
  return read_gltf(file, path.string(), resources_beside(path, most), options, limits);
}

}  // namespace brokkr
