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
#include "formats/gltf_parts.h"
#include "formats/image_io.h"
#include "formats/marks.h"
#include "formats/obj.h"
#include "formats/scene_setup.h"

namespace brokkr {
namespace {

// Extensions that are drawn, or ignored without a loss for this picture.
const std::set<std::string>& known_extensions() {
  static const std::set<std::string> kKnown = [] {
    std::set<std::string> known = {"EXT_mesh_gpu_instancing",
                                   "EXT_meshopt_compression",
                                   "KHR_lights_punctual",
                                   "KHR_materials_emissive_strength",
                                   "KHR_materials_pbrSpecularGlossiness",
                                   "KHR_materials_unlit",
                                   "KHR_mesh_quantization",
                                   "KHR_meshopt_compression",
                                   "KHR_node_visibility",
                                   "KHR_texture_transform",
                                   "KHR_xmp_json_ld"};
    if (kHasDraco) known.insert("KHR_draco_mesh_compression");
    if (kHasWebp) known.insert("EXT_texture_webp");
    return known;
  }();
  return kKnown;
}

void check_extensions(const GltfData& data) {
  std::set<std::string> required;
  for (const std::string& name : data.root().texts("extensionsRequired")) {
    if (known_extensions().contains(name) || !required.insert(name).second) continue;
    data.loading().warn("required " + name, "extension {} is required but not supported; it is ignored",
                        name.substr(0, 100));
  }
  std::string ignored;
  for (const std::string& name : data.root().texts("extensionsUsed")) {
    if (!known_extensions().contains(name) && !required.contains(name))
      ignored += (ignored.empty() ? "" : ", ") + name.substr(0, 100);
  }
  if (!ignored.empty()) data.warn("extensions that are not supported: " + ignored.substr(0, 400));
  if (data.count("animations") > 0) data.warn("animations are not played; the file's own pose is drawn");
}

// Instances of a mesh that one draw can hold.
struct Group {
  bool mirrored = false;
  std::optional<glm::mat3> shape;  // a model that scales by different factors along the axes
  std::vector<glm::mat4> models;
};

// The part of a model that changes normals: its symmetric part divided by its size, in thousandths; empty for a uniform
// scale.
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
        materials_(data, frame_, limits.texture_pixels),
        meshes_(data, frame_, limits.copied_vertices) {}

  Frame read() {
    check_extensions(data_);
    const GltfNodes nodes(data_);
    for (const auto& [placement, models] : nodes.meshes) add_mesh(placement, models, nodes);
    if (opaque_.empty() && blended_.empty() && marked_.empty()) {
      const std::vector<std::string> warnings = data_.loading().warnings();
      if (warnings.empty()) fail("field 'meshes': the scene shows nothing; name a file with meshes in its scene");
      fail("field 'meshes': the scene shows nothing that can be drawn ({}); export the file again", warnings.back());
    }
    set_up_scene(frame_, bounds_, camera(nodes), options_);
    for (const Marked& marked : marked_) draw_marks(marked);
    meshes_.complete();
    take_light(nodes);
    for (Draw& draw : opaque_) {
      draw.command.view_count = uint32_t(frame_.views.size());
      draw.command.state = state(draw);
      frame_.commands.emplace_back(std::in_place_type<DrawCommand>, std::move(draw.command));
    }
    std::vector<DrawCommand> blended;
    for (Draw& draw : blended_) {
      draw.command.state = state(draw);
      blended.push_back(std::move(draw.command));
    }
    add_blended(frame_, std::move(blended), data_.loading());
    return std::move(frame_);
  }

 private:
  struct Draw {
    DrawCommand command;
    bool blended, two_sided, mirrored;
  };

  struct Marked {
    GltfMarks marks;
    std::vector<glm::mat4> models;
    GltfMaterials::Made material;
    std::string label;
  };

  GltfPose pose_of(const GltfPlacement& placement, const GltfPart& mesh, const GltfNodes& nodes) const {
    GltfPose pose;
    pose.weights = placement.weights.empty() ? mesh.floats("weights") : placement.weights;
    if (std::ranges::all_of(pose.weights, [](float weight) { return weight == 0; })) pose.weights.clear();
    if (placement.skin == kGltfNone) return pose;
    try {
      pose.joints = nodes.joints(placement.skin, mesh);
    } catch (const LimitReached&) {
      throw;
    } catch (const std::runtime_error& problem) {
      data_.warn(std::string(problem.what()) + "; drawn in its bind pose");
    }
    return pose;
  }

  void add_mesh(const GltfPlacement& placement, const std::vector<glm::mat4>& models, const GltfNodes& nodes) {
    data_.loading().look(opaque_.size() + blended_.size(), data_.count("meshes"));
    const GltfPart part = data_.element("meshes", placement.mesh, data_.root(), "meshes");
    const GltfPose pose = pose_of(placement, part, nodes);
    std::vector<std::pair<GltfMesh, GltfMaterials::Made>> primitives;
    for (const GltfPart& primitive : part.parts("primitives")) {
      try {
        if (!GltfMeshes::is_drawn(primitive)) continue;
        const GltfMaterials::Made material = materials_.make(primitive.whole("material", kGltfNone), primitive);
        if (GltfMeshes::is_of_marks(primitive)) {
          Marked marked{meshes_.read_marks(primitive, material.opaque, material.second_texcoords, pose), models,
                        material, part.text("name", fmt::format("mesh {}", placement.mesh)).substr(0, 256)};
          if (marked.marks.ends.empty()) continue;
          for (const glm::mat4& model : models) add_bounds(marked.marks.bounds, model, part);
          marked_.push_back(std::move(marked));
          continue;
        }
        const GltfMesh mesh = meshes_.read(primitive, material.opaque, material.second_texcoords, pose);
        if (mesh.indices > 0) primitives.emplace_back(mesh, material);
      } catch (const LimitReached&) {
        throw;
      } catch (const std::runtime_error& problem) {
        data_.warn(std::string(problem.what()) + "; the primitive is left out");
      }
    }
    if (primitives.empty()) return;
    const std::string label = part.text("name", fmt::format("mesh {}", placement.mesh)).substr(0, 256);
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
        if (!draw.blended) {
          opaque_.push_back(std::move(draw));
          continue;
        }
        // Blended draws are sorted instance by instance.
        draw.command.instances = 1;
        for (size_t i = 0; i < group.models.size(); i++) {
          draw.command.first_instance = first_instance + uint32_t(i);
          blended_.push_back(draw);
        }
      }
    }
  }

  // Without normals, they are unlit [Gltf20, 3.7.2.1]. A line is a third as wide as a point.
  void draw_marks(const Marked& marked) {
    const float pixels = options_.point_size / (marked.marks.are_lines ? 3.0f : 1.0f);
    const GltfMesh mesh = meshes_.solids(marked.marks, marked.models, mark_radius(frame_, bounds_, pixels));
    Draw draw{make_draw(mesh), marked.material.blended, true, false};
    draw.command.label = marked.label;
    draw.command.material = marked.material.number;
    if (!marked.marks.has_normals) {
      Material unlit = frame_.materials[marked.material.number];
      unlit.unlit = true;
      draw.command.material = uint32_t(frame_.materials.size());
      frame_.materials.push_back(std::move(unlit));
    }
    draw.command.first_instance = uint32_t(frame_.models.size());
    frame_.models.emplace_back(1.0f);
    (draw.blended ? blended_ : opaque_).push_back(std::move(draw));
  }

  // A frame has one light: the direction of the first that has one, else that in which the first one is.
  void take_light(const GltfNodes& nodes) {
    if (nodes.lights.empty()) return;
    auto light = std::ranges::find(nodes.lights, "directional", &GltfLight::kind);
    const bool is_directional = light != nodes.lights.end();
    if (!is_directional) light = nodes.lights.begin();
    const glm::vec3 direction =
        is_directional ? glm::vec3(light->model[2]) : glm::vec3(light->model[3]) - bounds_.center();
    if (is_usable(direction) && glm::length(direction) > 1e-12f) frame_.light_direction = glm::normalize(direction);
    data_.warn(fmt::format("lights: one of the {} is drawn, as a white one from its direction", nodes.lights.size()));
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
      if (!is_usable(placed)) mesh.fail_at("nodes", "a node places it beyond 1e15; scale the model");
      bounds_.add(placed);
    }
  }

  // Cameras look along their -z. The point that other cameras orbit is at the depth of the scene's middle.
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
    if (camera.target == camera.eye) return std::nullopt;  // it is so far away that a step is lost
    if (nodes.camera->height > 0) {
      // The camera is so far away that lines are nearly parallel, with planes around the scene.
      const float away = nodes.camera->height / 2 / std::tan(camera.fov / 2 * 3.14159265f / 180);
      camera.eye = camera.target - direction * away;
      data_.warn("the orthographic camera is drawn as a distant perspective camera of 1 degree");
      return camera;
    }
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
  GltfMaterials materials_;
  GltfMeshes meshes_;
  Bounds bounds_;
  std::vector<Draw> opaque_, blended_;
  std::vector<Marked> marked_;
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
  const uint64_t max_bytes = std::min(limits.file_bytes, loading.left());
  return read_gltf(file, path.string(), resources_beside(path, max_bytes), options, limits);
}

}  // namespace brokkr
