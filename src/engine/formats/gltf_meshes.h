// Primitives of a glTF file: their vertices and triangles in the frame's arrays.
#pragma once

#include <array>
#include <cstdint>
#include <glm/mat3x3.hpp>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "brokkr/camera.h"
#include "brokkr/frame.h"
#include "formats/gltf_data.h"

namespace brokkr {

// A primitive's part of the frame's arrays.
struct GltfMesh {
  uint64_t first_vertex = 0, first_index = 0;
  uint32_t vertices = 0, indices = 0;
  Bounds bounds;
};

// What moves a mesh's vertices.
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
  // What makes two primitives the same: accessors, kGltfNone where there is none.
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
