#include "scene/gltf.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/common.hpp>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/matrix.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "brokkr/image.h"
#include "scene/failure.h"
#include "scene/file_io.h"
#include "scene/frame_tables.h"
#include "scene/gltf_data.h"
#include "scene/obj.h"
#include "scene/scene_setup.h"

namespace brokkr {
namespace {

constexpr uint64_t kNone = ~uint64_t(0);

// Each warning once, in the order in which they came up.
class Warnings {
 public:
  explicit Warnings(std::vector<std::string>& lines) : lines_(lines) {}
  void add(const std::string& line) {
    if (std::find(lines_.begin(), lines_.end(), line) == lines_.end()) lines_.push_back(line);
  }

 private:
  std::vector<std::string>& lines_;
};

float unit(double value) { return float(std::clamp(value, 0.0, 1.0)); }

// Pictures and materials of the file as those of the frame.
class Materials {
 public:
  Materials(GltfData& data, Frame& frame, Warnings& warnings, uint64_t max_pixels)
      : data_(data), frame_(frame), warnings_(warnings), pixels_left_(max_pixels) {}

  struct Made {
    uint32_t number = 0;
    bool blended = false, two_sided = false;
  };

  // Material `number`, kNone for the default one, with its colour multiplied by `tint`.
  Made make(uint64_t number, const glm::vec3& tint, const GltfPart& from) {
    const auto key = std::tuple(number, tint.x, tint.y, tint.z);
    const auto found = made_.find(key);
    if (found != made_.end()) return found->second;
    static const GltfPart::Json kEmpty = GltfPart::Json::object();
    const GltfPart part =
        number == kNone ? GltfPart(kEmpty, "default material") : data_.element("materials", number, from, "material");
    Made made;
    Material material = surface(part);
    const std::string mode = part.text("alphaMode", "OPAQUE");
    if (mode == "MASK") {
      material.alpha_cutoff = unit(part.number("alphaCutoff", 0.5));
    } else if (mode == "BLEND") {
      made.blended = true;
    } else if (mode != "OPAQUE") {
      part.fail_at("alphaMode", "it is none of OPAQUE, MASK and BLEND; export the file again");
    }
    if (mode == "OPAQUE") material.opacity = 1;
    material.diffuse *= tint;
    made.two_sided = part.flag("doubleSided");
    made.number = uint32_t(frame_.materials.size());
    frame_.materials.push_back(std::move(material));
    return made_.emplace(key, made).first->second;
  }

 private:
  Material surface(const GltfPart& part) {
    const GltfPart pbr = part.part("pbrMetallicRoughness"), extensions = part.part("extensions");
    const auto color = pbr.numbers<4>("baseColorFactor", {1, 1, 1, 1});
    const auto emission = part.numbers<3>("emissiveFactor", {0, 0, 0});
    const double strength =
        std::clamp(extensions.part("KHR_materials_emissive_strength").number("emissiveStrength", 1), 0.0, 1e4);
    const bool opaque = part.text("alphaMode", "OPAQUE") == "OPAQUE";
    Material m;
    m.name = part.text("name").substr(0, 256);
    m.kind = MaterialKind::metallic_roughness;
    m.diffuse = {unit(color[0]), unit(color[1]), unit(color[2])};
    m.opacity = unit(color[3]);
    m.emission = glm::vec3(unit(emission[0]), unit(emission[1]), unit(emission[2])) * float(strength);
    m.metallic = unit(pbr.number("metallicFactor", 1));
    m.roughness = unit(pbr.number("roughnessFactor", 1));
    m.unlit = extensions.has("KHR_materials_unlit");
    m.diffuse_texture = texture(pbr, "baseColorTexture", true, opaque);
    if (m.unlit) return m;
    m.metallic_roughness_texture = texture(pbr, "metallicRoughnessTexture", false, true);
    m.normal_texture = texture(part, "normalTexture", false, true);
    m.normal_scale = float(std::clamp(part.part("normalTexture").number("scale", 1), -1e4, 1e4));
    m.emission_texture = texture(part, "emissiveTexture", true, true);
    if (part.has("occlusionTexture")) warnings_.add("occlusion textures are not drawn");
    return m;
  }

  // Number in the frame of the texture that `owner` names, -1 for none.
  int texture(const GltfPart& owner, const char* key, bool srgb, bool opaque) {
    if (!owner.has(key)) return -1;
    const GltfPart use = owner.part(key);
    if (use.whole("texCoord", 0) != 0) warnings_.add("textures of TEXCOORD_1 and above are drawn with TEXCOORD_0");
    const GltfPart texture = data_.element("textures", use.whole("index"), use, "index");
    if (!texture.has("source")) {
      warnings_.add("textures without a PNG or JPEG picture are not drawn");
      return -1;
    }
    const uint64_t source = texture.whole("source");
    const auto [found, is_new] = textures_.emplace(std::tuple(source, srgb, opaque), int(frame_.textures.size()));
    if (!is_new) return found->second;
    const GltfPart part = data_.element("images", source, texture, "source");
    Image image =
        read_image(data_.image(part), fmt::format("images {}", source), std::min(pixels_left_, kMaxImagePixels));
    pixels_left_ -= image.texels.size();
    for (uint32_t& texel : image.texels) texel |= opaque ? 0xff000000u : 0;
    std::string name = part.text("name", fmt::format("image {}", source)).substr(0, 256);
    frame_.textures.push_back({std::move(name), image.width, image.height, srgb, std::move(image.texels)});
    return found->second;
  }

  GltfData& data_;
  Frame& frame_;
  Warnings& warnings_;
  uint64_t pixels_left_;
  std::map<std::tuple<uint64_t, float, float, float>, Made> made_;
  std::map<std::tuple<uint64_t, bool, bool>, int> textures_;
};

// A primitive's part of the frame's arrays.
struct Mesh {
  uint64_t first_vertex = 0, first_index = 0;
  uint32_t vertices = 0, indices = 0;
  Bounds bounds;
};

// Reads primitives into the frame's arrays; those that name the same accessors share them.
class Meshes {
 public:
  Meshes(GltfData& data, Frame& frame, Warnings& warnings, uint64_t copies)
      : data_(data), frame_(frame), warnings_(warnings), copies_left_(copies) {}

  // Nothing for points, lines and primitives without positions.
  std::optional<Mesh> read(const GltfPart& primitive) {
    constexpr uint64_t kTriangles = 4, kFan = 6;
    const uint64_t mode = primitive.whole("mode", kTriangles);
    if (mode > kFan) primitive.fail_at("mode", "it is outside 0..6; export the file again");
    if (mode < kTriangles) {
      warnings_.add("points and lines are not drawn");
      return std::nullopt;
    }
    const GltfPart attributes = primitive.part("attributes");
    if (!attributes.has("POSITION")) return std::nullopt;  // glTF asks to leave it out
    if (primitive.part("extensions").has("KHR_draco_mesh_compression")) {
      primitive.fail_at("extensions", "KHR_draco_mesh_compression is not read; export without compression");
    }
    const Key key{attributes.whole("POSITION"), attributes.whole("NORMAL", kNone),
                  attributes.whole("TEXCOORD_0", kNone), primitive.whole("indices", kNone), mode};
    const auto found = meshes_.find(key);
    if (found != meshes_.end()) return found->second;
    const bool is_flat = key[1] == kNone;
    Mesh mesh = is_flat ? Mesh() : vertices(key, attributes);
    const std::vector<glm::vec3> positions = is_flat ? read_positions(key[0], attributes) : std::vector<glm::vec3>();
    const uint32_t count = is_flat ? uint32_t(positions.size()) : mesh.vertices;
    const std::vector<uint32_t> list = triangles(primitive, key, count);
    if (is_flat) mesh = flat(positions, list, key, attributes);
    mesh.first_index = frame_.indices.size();
    mesh.indices = uint32_t(list.size());
    for (size_t i = 0; i < list.size(); i++) frame_.indices.push_back(is_flat ? uint32_t(i) : list[i]);
    return meshes_.emplace(key, mesh).first->second;
  }

  // The mean of COLOR_0, white where there is none.
  glm::vec3 tint(const GltfPart& primitive) {
    static constexpr std::array<uint32_t, 2> kComponents = {3, 4};
    const GltfPart attributes = primitive.part("attributes");
    if (!attributes.has("COLOR_0")) return glm::vec3(1);
    const uint64_t accessor = attributes.whole("COLOR_0");
    const auto [found, is_new] = tints_.emplace(accessor, glm::vec3(1));
    if (!is_new) return found->second;
    uint32_t components = 0;
    const std::vector<float> colors = data_.floats(accessor, kComponents, attributes, "COLOR_0", &components);
    glm::dvec3 sum(0.0);
    bool differs = false;
    for (size_t i = 0; i < colors.size(); i += components) {
      for (uint32_t k = 0; k < 3; k++) {
        sum[int(k)] += double(unit(double(colors[i + k])));
        differs |= colors[i + k] != colors[k];
      }
    }
    if (differs) warnings_.add("colours of vertices are not drawn; surfaces have their mean");
    const size_t vertices = colors.size() / components;
    found->second = glm::vec3(sum / double(vertices));
    return found->second;
  }

  // The same mesh with normals n' for a model M that scales by different factors: M n' has the direction that the
  // inverse transpose of M gives n.
  Mesh with_normals_for(const Mesh& mesh, const glm::mat3& model) {
    if (mesh.vertices > copies_left_) {
      fail("field 'nodes': too many are scaled by different factors along the axes; apply their scale to the meshes");
    }
    copies_left_ -= mesh.vertices;
    const glm::mat3 to_normal = glm::inverse(glm::transpose(model) * model);
    Mesh copy = mesh;
    copy.first_vertex = frame_.positions.size();
    for (uint64_t i = mesh.first_vertex; i < mesh.first_vertex + mesh.vertices; i++) {
      const glm::vec3 normal = to_normal * frame_.normals[i];
      const float length = is_usable(normal) ? glm::length(normal) : 0.0f;
      add_vertex(glm::vec3(frame_.positions[i]), length > 0 ? normal / length : frame_.normals[i], frame_.texcoords[i]);
    }
    return copy;
  }

 private:
  using Key = std::array<uint64_t, 5>;  // accessors of position, normal, texture coordinate and indices; mode

  void add_vertex(const glm::vec3& position, const glm::vec3& normal, const glm::vec2& texcoord) {
    if (frame_.positions.size() >= kMaxFrameVertices)
      fail("field 'meshes': there are too many vertices; split the file");
    frame_.positions.emplace_back(position, 1.0f);
    frame_.normals.push_back(normal);
    frame_.texcoords.push_back(texcoord);
  }

  std::vector<glm::vec3> read_positions(uint64_t accessor, const GltfPart& attributes) {
    static constexpr std::array<uint32_t, 1> kThree = {3};
    const std::vector<float> values = data_.floats(accessor, kThree, attributes, "POSITION");
    std::vector<glm::vec3> positions;
    positions.reserve(values.size() / 3);
    for (size_t i = 0; i < values.size(); i += 3) {
      positions.emplace_back(values[i], values[i + 1], values[i + 2]);
      if (!is_usable(positions.back()))
        attributes.fail_at("POSITION", "one is not finite or beyond 1e15; scale the model");
    }
    return positions;
  }

  // Rows of pictures run upwards in a Frame.
  std::vector<glm::vec2> read_texcoords(const Key& key, size_t count, const GltfPart& attributes) {
    static constexpr std::array<uint32_t, 1> kTwo = {2};
    std::vector<glm::vec2> texcoords(count, glm::vec2(0));
    if (key[2] == kNone) return texcoords;
    const std::vector<float> values = data_.floats(key[2], kTwo, attributes, "TEXCOORD_0");
    if (values.size() != count * 2)
      attributes.fail_at("TEXCOORD_0", "there are not as many as positions; export the file again");
    for (size_t i = 0; i < count; i++) {
      const glm::vec3 texcoord(values[2 * i], 1 - values[2 * i + 1], 0);
      if (is_usable(texcoord)) texcoords[i] = glm::vec2(texcoord);
    }
    return texcoords;
  }

  Mesh vertices(const Key& key, const GltfPart& attributes) {
    static constexpr std::array<uint32_t, 1> kThree = {3};
    const auto shared = vertices_.find({key[0], key[1], key[2]});
    if (shared != vertices_.end()) return shared->second;
    const std::vector<glm::vec3> positions = read_positions(key[0], attributes);
    const std::vector<float> normals = data_.floats(key[1], kThree, attributes, "NORMAL");
    const std::vector<glm::vec2> texcoords = read_texcoords(key, positions.size(), attributes);
    if (normals.size() != positions.size() * 3) {
      attributes.fail_at("NORMAL", "there are not as many as positions; export the file again");
    }
    Mesh mesh{.first_vertex = frame_.positions.size(), .vertices = uint32_t(positions.size())};
    for (size_t i = 0; i < positions.size(); i++) {
      const glm::vec3 normal(normals[3 * i], normals[3 * i + 1], normals[3 * i + 2]);
      const float length = is_usable(normal) ? glm::length(normal) : 0.0f;
      add_vertex(positions[i], length > 1e-12f ? normal / length : glm::vec3(0, 1, 0), texcoords[i]);
      mesh.bounds.add(positions[i]);
    }
    return vertices_.emplace(std::array{key[0], key[1], key[2]}, mesh).first->second;
  }

  // Three vertices of their own for every triangle.
  Mesh flat(const std::vector<glm::vec3>& positions, const std::vector<uint32_t>& list, const Key& key,
            const GltfPart& attributes) {
    const std::vector<glm::vec2> texcoords = read_texcoords(key, positions.size(), attributes);
    Mesh mesh{.first_vertex = frame_.positions.size(), .vertices = uint32_t(list.size())};
    for (size_t i = 0; i + 2 < list.size(); i += 3) {
      const glm::dvec3 a(positions[list[i]]), b(positions[list[i + 1]]), c(positions[list[i + 2]]);
      const glm::dvec3 normal = glm::cross(b - a, c - a);
      const double length = glm::length(normal);
      const bool has_area = length > 0 && std::isfinite(length);
      for (size_t k = i; k < i + 3; k++) {
        add_vertex(positions[list[k]], has_area ? glm::vec3(normal / length) : glm::vec3(0, 1, 0), texcoords[list[k]]);
        mesh.bounds.add(positions[list[k]]);
      }
    }
    return mesh;
  }

  // The primitive's triangles as a list of vertices, of which there are `count`.
  std::vector<uint32_t> triangles(const GltfPart& primitive, const Key& key, uint32_t count) {
    constexpr uint64_t kStrip = 5;
    std::vector<uint32_t> elements;
    if (key[3] != kNone) {
      elements = data_.indices(key[3], primitive, "indices");
      if (*std::max_element(elements.begin(), elements.end()) >= count) {
        primitive.fail_at("indices", fmt::format("one is not among the {} vertices; export the file again", count));
      }
    } else {
      elements.resize(count);
      for (uint32_t i = 0; i < count; i++) elements[i] = i;
    }
    const Assembly assembly = key[4] < kStrip ? Assembly::list : key[4] == kStrip ? Assembly::strip : Assembly::fan;
    const size_t number = assembly == Assembly::list ? elements.size() / 3 : std::max<size_t>(elements.size(), 2) - 2;
    if (number > kMaxTriangles)
      primitive.fail_at("indices", "there are more than 67 million triangles; split the mesh");
    std::vector<uint32_t> list;
    list.reserve(number * 3);
    for (size_t i = 0; i < number; i++) {
      uint32_t corner[3];
      triangle_elements(assembly, uint32_t(i), corner);
      for (const uint32_t k : corner) list.push_back(elements[k]);
    }
    return list;
  }

  GltfData& data_;
  Frame& frame_;
  Warnings& warnings_;
  uint64_t copies_left_;
  std::map<Key, Mesh> meshes_;
  std::map<std::array<uint64_t, 3>, Mesh> vertices_;
  std::map<uint64_t, glm::vec3> tints_;
};

struct PlacedCamera {
  glm::mat4 model;
  float fov, near_plane, far_plane;
};

// The nodes of the scene: where meshes are, and from where it is seen.
class Nodes {
 public:
  Nodes(const GltfData& data, Warnings& warnings) : data_(data), warnings_(warnings) {
    const size_t count = data_.count("nodes");
    reached_.resize(count);
    std::vector<std::pair<uint64_t, glm::mat4>> open;
    for (const uint64_t root : roots()) open.emplace_back(root, glm::mat4(1));
    std::reverse(open.begin(), open.end());
    while (!open.empty()) {
      const auto [number, parent] = open.back();
      open.pop_back();
      const GltfPart node = data_.element("nodes", number, data_.root(), "nodes");
      if (reached_[size_t(number)])
        node.fail_at("children", "it is the child of two nodes or of itself; export the file again");
      reached_[size_t(number)] = true;
      const glm::mat4 model = parent * local(node);
      visit(node, model);
      const std::vector<uint64_t> children = node.wholes("children");
      for (size_t i = children.size(); i-- > 0;) {
        data_.element("nodes", children[i], node, "children");
        open.emplace_back(children[i], model);
      }
      if (open.size() > count) node.fail_at("children", "some are there twice; export the file again");
    }
  }

  // By mesh: where it is.
  std::map<uint64_t, std::vector<glm::mat4>> meshes;
  std::optional<PlacedCamera> camera;

 private:
  std::vector<uint64_t> roots() const {
    const GltfPart root = data_.root();
    if (data_.count("scenes") > 0)
      return data_.element("scenes", root.whole("scene", 0), root, "scene").wholes("nodes");
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

  static glm::mat4 local(const GltfPart& node) {
    if (node.has("matrix")) {
      const auto values = node.numbers<16>("matrix", {});
      glm::mat4 matrix(1.0f);
      for (int i = 0; i < 16; i++)
        matrix[i / 4][i % 4] = i % 4 == 3 ? (i == 15 ? 1.0f : 0.0f) : float(values[size_t(i)]);
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

  void visit(const GltfPart& node, const glm::mat4& model) {
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
    if (!node.has("camera") || camera) return;
    const GltfPart part = data_.element("cameras", node.whole("camera"), node, "camera");
    const GltfPart perspective = part.part("perspective");
    if (!part.has("perspective")) return warnings_.add("orthographic cameras are not used");
    const double fov = perspective.number("yfov", 0.8) * 180 / 3.14159265358979324;
    camera = {model, float(std::clamp(fov, 1.0, 170.0)), float(std::clamp(perspective.number("znear", 0), 0.0, 1e15)),
              float(std::clamp(perspective.number("zfar", 0), 0.0, 1e15))};
  }

  const GltfData& data_;
  Warnings& warnings_;
  std::vector<bool> reached_;
};

void check_extensions(const GltfPart& root, Warnings& warnings) {
  static const std::set<std::string> kKnown = {"KHR_materials_unlit", "KHR_materials_emissive_strength",
                                               "KHR_mesh_quantization"};
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
    const Nodes nodes(data_, warnings_);
    for (const auto& [mesh, models] : nodes.meshes) add_mesh(mesh, models);
    if (opaque_.empty() && blended_.empty()) {
      fail("field 'meshes': the scene shows no triangles; name a file with meshes in its scene");
    }
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
    const GltfPart part = data_.element("meshes", number, data_.root(), "meshes");
    std::vector<std::pair<Mesh, Materials::Made>> primitives;
    for (const GltfPart& primitive : part.parts("primitives")) {
      if (primitive.has("targets")) warnings_.add("morph targets are not followed; the rest pose is drawn");
      const std::optional<Mesh> mesh = meshes_.read(primitive);
      if (!mesh || mesh->indices == 0) continue;
      const uint64_t material = primitive.whole("material", kNone);
      primitives.emplace_back(*mesh, materials_.make(material, meshes_.tint(primitive), primitive));
    }
    if (primitives.empty()) return;
    const std::string label = part.text("name", fmt::format("mesh {}", number)).substr(0, 256);
    for (const Group& group : grouped(models)) {
      const auto first_instance = uint32_t(frame_.models.size());
      frame_.models.insert(frame_.models.end(), group.models.begin(), group.models.end());
      for (const auto& [mesh, material] : primitives) {
        for (const glm::mat4& model : group.models) add_bounds(mesh.bounds, model, part);
        const Mesh own = group.shape ? meshes_.with_normals_for(mesh, *group.shape) : mesh;
        Draw draw{make_draw(own), material.blended, material.two_sided, group.mirrored};
        draw.command.material = material.number;
        draw.command.first_instance = first_instance;
        draw.command.instances = uint32_t(group.models.size());
        draw.command.label = label;
        (draw.blended ? blended_ : opaque_).push_back(std::move(draw));
      }
    }
  }

  static DrawCommand make_draw(const Mesh& mesh) {
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
  std::optional<Camera> camera(const Nodes& nodes) const {
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
  Warnings warnings_;
  Materials materials_;
  Meshes meshes_;
  Bounds bounds_;
  std::vector<Draw> opaque_, blended_;
};

}  // namespace

Frame read_gltf(std::span<const std::byte> file, std::string_view name, const ResourceReader& resources,
                const LoadOptions& options, const GltfLimits& limits) {
  return named_frame(name, [&] {
    if (options.progress) options.progress(0.1);
    GltfData data(file, resources);
    if (options.progress) options.progress(0.4);
    Frame frame = SceneReader(data, options, limits).read();
    if (options.progress) options.progress(0.9);
    return frame;
  });
}

Frame read_gltf(const std::filesystem::path& path, const LoadOptions& options, const GltfLimits& limits) {
  const std::vector<std::byte> file = read_file(path, limits.file_bytes);
  return read_gltf(file, path.string(), resources_beside(path, limits.file_bytes), options, limits);
}

}  // namespace brokkr
