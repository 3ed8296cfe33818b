// The parts of a glTF file that become a frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <glm/mat3x3.hpp>
#include <glm/mat4x4.hpp>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "brokkr/camera.h"
#include "brokkr/frame.h"
#include "formats/gltf_data.h"

namespace brokkr {

// Adds the materials of a glTF file and their textures to the frame.
class GltfMaterials {
 public:
  // Appends materials and textures to `frame`. All textures together have at most `max_pixels` pixels.
  GltfMaterials(GltfData& data, Frame& frame, uint64_t max_pixels)
      : data_(data), frame_(frame), pixels_left_(max_pixels) {}

  struct Made {
    uint32_t number = 0;  // index into Frame::materials
    bool opaque = true;   // alpha is ignored
    bool blended = false, two_sided = false;
    bool second_texcoords = false;  // the material reads TEXCOORD_1
  };

  // Makes material `number`, or the default material for kGltfNone. `referrer` is the primitive that uses it. If it
  // cannot be read, a warning follows, and the result is the default material.
  Made make(uint64_t number, const GltfPart& referrer);

 private:
  // The channels of a picture that are used, and the way in which they are used.
  enum class Channels : uint8_t { all, opaque, glossiness };

  Made read(uint64_t number, const GltfPart& referrer);
  Material surface(const GltfPart& part);
  void specular_glossiness(const GltfPart& part, bool opaque, Material& material);
  int texture(const GltfPart& owner, const char* key, bool srgb, Channels channels, TextureMapping& mapping);
  int load(const GltfPart& use, const GltfPart& texture, bool srgb, Channels channels);
  TextureMapping mapping(const GltfPart& use);
  Sampler sampler(const GltfPart& texture) const;

  GltfData& data_;
  Frame& frame_;
  uint64_t pixels_left_;
  std::map<uint64_t, Made> made_;
  // by picture, sRGB or not, channels, and sampler; -1: it cannot be read
  std::map<std::tuple<uint64_t, bool, Channels, uint64_t>, int> textures_;
};

struct GltfCamera {
  glm::mat4 model;
  float fov, near_plane, far_plane;  // fov in degrees; planes are 0 if the file does not set them
  float height = 0;                  // an orthographic camera's visible height; 0: a perspective camera
};

// A mesh in the way that nodes show it.
struct GltfPlacement {
  uint64_t mesh, skin = kGltfNone;
  std::vector<float> weights;  // of morph targets; empty: the mesh's own weights
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes <=> for 0
  auto operator<=>(const GltfPlacement&) const = default;
};

struct GltfLight {
  std::string kind;  // "directional", "point" or "spot"
  glm::mat4 model;
};

// The nodes of a glTF file's scene, with the places of meshes, the camera and the lights.
class GltfNodes {
 public:
  explicit GltfNodes(GltfData& data);

  // The places of each mesh in the file.
  std::map<GltfPlacement, std::vector<glm::mat4>> meshes;
  // The first perspective camera, or otherwise the first camera.
  std::optional<GltfCamera> camera;
  std::vector<GltfLight> lights;
  // The matrices that place a skin's vertices in the world, joint by joint. Throws std::runtime_error.
  std::vector<glm::mat4> joints(uint64_t skin, const GltfPart& referrer) const;

 private:
  GltfPart shown_scene() const;
  std::vector<uint64_t> roots(const GltfPart& scene) const;
  void visit(const GltfPart& node, const glm::mat4& model);
  void use_camera(const GltfPart& node, const glm::mat4& model);
  std::vector<glm::mat4> instances(const GltfPart& node, const glm::mat4& model) const;

  GltfData& data_;
  std::vector<glm::mat4> world_;  // of each node; the identity for nodes outside of the scene
};

// A primitive's part of the frame's arrays.
struct GltfMesh {
  uint64_t first_vertex = 0, first_index = 0;
  uint32_t vertices = 0, indices = 0;
  Bounds bounds;
};

// The movement of a mesh's vertices.
struct GltfPose {
  std::vector<float> weights;     // of morph targets
  std::vector<glm::mat4> joints;  // of a skin

  bool moves() const { return !weights.empty() || !joints.empty(); }
};

// Points or lines. The camera determines the size of their marks.
struct GltfMarks {
  std::vector<glm::vec3> positions, normals;  // in the object
  std::vector<glm::vec2> texcoords;
  std::vector<glm::vec4> colors;
  std::vector<uint32_t> ends;  // vertex numbers: one per point, two per line
  bool are_lines = false, has_normals = false, has_colors = false;
  Bounds bounds;
};

class GltfMeshes {
 public:
  // Appends vertices and indices to `frame`. with_normals_for appends at most `copies` vertices.
  GltfMeshes(GltfData& data, Frame& frame, uint64_t copies) : data_(data), frame_(frame), copies_left_(copies) {}

  // Returns false for primitives without positions, which glTF tells readers to ignore.
  static bool is_drawn(const GltfPart& primitive);
  static bool is_of_marks(const GltfPart& primitive);  // points or lines
  GltfMarks read_marks(const GltfPart& primitive, bool opaque, bool second_texcoords, const GltfPose& pose);
  // Makes a solid of `radius` in world space for each mark of each instance.
  GltfMesh solids(const GltfMarks& marks, const std::vector<glm::mat4>& models, float radius);
  // Reads a primitive that is drawn. Primitives that name the same accessors share vertices, unless a pose moves them.
  // `opaque`: the alpha of its colours is ignored. `second_texcoords`: its material reads TEXCOORD_1. Triangles with
  // missing vertices, or vertices that are not finite, are left out.
  GltfMesh read(const GltfPart& primitive, bool opaque, bool second_texcoords, const GltfPose& pose);
  // Returns the same mesh with normals n' for a model M that scales by different factors: M n' has the direction that
  // the inverse transpose of M gives n.
  GltfMesh with_normals_for(const GltfMesh& mesh, const glm::mat3& model);
  // Call it last. Adds the second set of texture coordinates to frames if only their materials use it.
  void complete();

 private:
  // Primitives with the same key are the same. It holds their accessors, or kGltfNone.
  struct Key {
    uint64_t position, normal, texcoord, second_texcoord, color;
    bool opaque;
    auto tied() const { return std::tie(position, normal, texcoord, second_texcoord, color, opaque); }
    bool operator<(const Key& other) const { return tied() < other.tied(); }
  };
  struct Shape {
    Key key;
    uint64_t indices, mode;
    bool operator<(const Shape& other) const {
      return std::tie(key, indices, mode) < std::tie(other.key, other.indices, other.mode);
    }
  };
  struct Vertex {
    glm::vec3 position{0}, normal{0};
    glm::vec2 texcoord{0}, second_texcoord{0};
    glm::vec4 color{1};
  };

  Key usable_key(const GltfPart& primitive, bool opaque, bool second_texcoords);
  std::vector<Vertex> posed_vertices(const GltfPart& primitive, const Key& key, const GltfPose& pose);
  std::vector<Vertex> read_vertices(const Key& key, const GltfPart& attributes);
  void morph(const GltfPart& primitive, const std::vector<float>& weights, bool has_normals,
             std::vector<Vertex>& vertices);
  void skin(const GltfPart& attributes, const std::vector<glm::mat4>& joints, std::vector<Vertex>& vertices);
  void read_positions(uint64_t accessor, const GltfPart& attributes, std::vector<Vertex>& vertices);
  void read_normals(uint64_t accessor, const GltfPart& attributes, std::vector<Vertex>& vertices);
  void read_texcoords(uint64_t accessor, const GltfPart& attributes, const char* name, glm::vec2 Vertex::*member,
                      std::vector<Vertex>& vertices);
  void read_colors(const Key& key, const GltfPart& attributes, std::vector<Vertex>& vertices);
  std::vector<uint32_t> triangles(const GltfPart& primitive, const Shape& shape, const std::vector<bool>& usable);
  GltfMesh add(const std::vector<Vertex>& vertices, const Key& key);
  void add_vertex(const Vertex& vertex);

  GltfData& data_;
  Frame& frame_;
  uint64_t copies_left_;
  bool has_second_texcoords_ = false, has_colors_ = false;  // the frame's arrays are used
  std::map<Shape, GltfMesh> meshes_;
  std::map<Key, std::pair<GltfMesh, std::vector<bool>>> vertices_;  // and which vertices are usable
};

}  // namespace brokkr
