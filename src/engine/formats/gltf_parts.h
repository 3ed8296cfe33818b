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

// Materials of a glTF file with their textures, added to the frame.
class GltfMaterials {
 public:
  // Materials and textures are appended to `frame`. Textures have at most `max_pixels` in all.
  GltfMaterials(GltfData& data, Frame& frame, uint64_t max_pixels)
      : data_(data), frame_(frame), pixels_left_(max_pixels) {}

  struct Made {
    uint32_t number = 0;  // in Frame::materials
    bool opaque = true;   // no alpha counts
    bool blended = false, two_sided = false;
    bool second_texcoords = false;  // TEXCOORD_1 is read
  };

  // Material `number`, kGltfNone for the default one; `from` is the primitive that has it. One that cannot be read is
  // the default one, after a warning.
  Made make(uint64_t number, const GltfPart& from);

 private:
  // The use of a picture's channels.
  enum class Channels : uint8_t { all, opaque, glossiness };

  Made read(uint64_t number, const GltfPart& from);
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
  // By picture, whether it is sRGB, its channels, and sampler; -1: it cannot be read.
  std::map<std::tuple<uint64_t, bool, Channels, uint64_t>, int> textures_;
};

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

// The nodes of a glTF file's scene: the places of meshes, the camera and the lights.
class GltfNodes {
 public:
  explicit GltfNodes(GltfData& data);

  // The places of each mesh that is in the file.
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

// Points or lines: what a mark is drawn with is known when the camera is.
struct GltfMarks {
  std::vector<glm::vec3> positions, normals;  // in the object
  std::vector<glm::vec2> texcoords;
  std::vector<glm::vec4> colors;
  std::vector<uint32_t> ends;  // numbers of vertices: one for each point, two for each line
  bool are_lines = false, has_normals = false, has_colors = false;
  Bounds bounds;
};

class GltfMeshes {
 public:
  // Vertices and indices are appended to `frame`; at most `copies` vertices by with_normals_for.
  GltfMeshes(GltfData& data, Frame& frame, uint64_t copies) : data_(data), frame_(frame), copies_left_(copies) {}

  // False for primitives without positions, which glTF asks to leave out.
  static bool is_drawn(const GltfPart& primitive);
  static bool is_of_marks(const GltfPart& primitive);  // points or lines
  GltfMarks read_marks(const GltfPart& primitive, bool opaque, bool second_texcoords, const GltfPose& pose);
  // A solid of `radius` in the world around each mark of each instance.
  GltfMesh solids(const GltfMarks& marks, const std::vector<glm::mat4>& models, float radius);
  // A primitive that is drawn. Those that name the same accessors share them, unless a pose moves them. `opaque`: the
  // alpha of its colours counts for nothing; `second_texcoords`: its material reads TEXCOORD_1. Triangles with vertices
  // that are missing or not finite are left out.
  GltfMesh read(const GltfPart& primitive, bool opaque, bool second_texcoords, const GltfPose& pose);
  // The same mesh with normals n' for a model M that scales by different factors: M n' has the direction that the
  // inverse transpose of M gives n.
  GltfMesh with_normals_for(const GltfMesh& mesh, const glm::mat3& model);
  // To be called last: gives the second set of texture coordinates to frames of which only materials speak of it.
  void complete();

 private:
  // The key by which primitives are the same: accessors, kGltfNone where there is none.
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
  std::map<Key, std::pair<GltfMesh, std::vector<bool>>> vertices_;  // and which of them are usable
};

}  // namespace brokkr
