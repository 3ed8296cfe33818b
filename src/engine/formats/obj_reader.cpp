#include "formats/obj.h"

#include <algorithm>
#include <bit>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/growth.h"
#include "formats/image_io.h"
#include "formats/scene_setup.h"
#include "formats/vertex_numbers.h"

namespace brokkr {
namespace {

class TextureLoader {
 public:
  TextureLoader(Frame& frame, const ResourceReader& resources, const LoadWarning& warning, Loading& loading,
                uint64_t max_pixels)
      : frame_(frame), resources_(resources), warning_(warning), loading_(loading), pixels_left_(max_pixels) {}

  // Number of the texture in the frame, -1 for an empty name and for a missing file.
  int load(const std::string& name, bool as_alpha) {
    if (name.empty()) return -1;
    const auto [found, is_new] = loaded_.emplace(std::pair(name, as_alpha), int(frame_.textures.size()));
    if (!is_new) return found->second;
    std::vector<std::byte> file;
    try {
      file = resources_(name, loading_);
    } catch (const MissingResource& problem) {
      found->second = -1;
      // The picture of a material and its mask may be one file.
      if (warning_ && !loaded_.contains({name, !as_alpha}))
        warning_(problem.what() + std::string("; drawn without it"));
      return -1;
    }
    loading_.look();
    Image image = read_image(file, name, std::min(pixels_left_, kMaxImagePixels), loading_);
    pixels_left_ -= image.texels.size();
    // A mask may come as a grey picture or in the alpha channel; shaders read the red one.
    if (as_alpha && image.has_alpha) {
      for (uint32_t& texel : image.texels) texel = (texel >> 24) * 0x01010101u;
    }
    has_alpha_.push_back(image.has_alpha);
    frame_.textures.push_back({name, image.width, image.height, !as_alpha, std::move(image.texels)});
    return found->second;
  }

  bool has_alpha(int texture) const { return texture >= 0 && has_alpha_[size_t(texture)]; }

 private:
  Frame& frame_;
  const ResourceReader& resources_;
  const LoadWarning& warning_;
  Loading& loading_;
  uint64_t pixels_left_;
  std::map<std::pair<std::string, bool>, int> loaded_;
  std::vector<bool> has_alpha_;
};

Material make_material(const ObjMaterial& source, TextureLoader& textures) {
  Material material = source.material;
  material.diffuse_texture = textures.load(source.diffuse_texture, false);
  material.alpha_texture = textures.load(source.alpha_texture, true);
  const bool has_mask = material.alpha_texture >= 0 || textures.has_alpha(material.diffuse_texture);
  if (has_mask && material.opacity >= 1) material.alpha_cutoff = 0.5f;
  return material;
}

// Appends the triangles of one material as vertices and indices, and returns their draw.
DrawCommand make_draw(Frame& frame, const ObjMesh& mesh, const std::vector<uint32_t>& triangles, Loading& loading) {
  DrawCommand draw;
  draw.vertex_kind = VertexKind::transform;
  draw.indexed = true;
  draw.first_index = frame.indices.size();
  draw.first_vertex = frame.positions.size();
  // Equal corners are one vertex, and shaded once: position, texture coordinate and the normal's bits.
  using Numbers = VertexNumbers<5>;
  Numbers vertices(loading);
  // Of a vertex: its place in the three lists, which grow by copies, and its number.
  constexpr uint64_t kVertex = 3 * (sizeof(glm::vec4) + sizeof(glm::vec3) + sizeof(glm::vec2)) + Numbers::kBytes;
  constexpr size_t kCheckEvery = 1024;
  size_t done = 0;
  for (uint32_t triangle : triangles) {
    loading.step(done, triangles.size());
    if (done++ % kCheckEvery == 0)
      loading.check(frame.positions.size() * kVertex + frame.indices.size() * 3 * sizeof(uint32_t), "f");
    for (const ObjCorner& corner : mesh.triangles[triangle].corners) {
      const glm::vec3& normal = mesh.normals[size_t(corner.normal)];
      const size_t known = vertices.size();
      const uint32_t number =
          vertices.number_of({uint32_t(corner.position), uint32_t(corner.texcoord), std::bit_cast<uint32_t>(normal.x),
                              std::bit_cast<uint32_t>(normal.y), std::bit_cast<uint32_t>(normal.z)});
      if (number == known) {
        push_in_steps(frame.positions, glm::vec4(mesh.positions[size_t(corner.position)], 1.0f), loading);
        push_in_steps(frame.normals, normal, loading);
        const bool has_texcoord = corner.texcoord >= 0;
        push_in_steps(frame.texcoords, has_texcoord ? mesh.texcoords[size_t(corner.texcoord)] : glm::vec2(0), loading);
      }
      push_in_steps(frame.indices, number, loading);
    }
  }
  draw.vertex_count = uint32_t(vertices.size());
  draw.element_count = uint32_t(triangles.size() * 3);
  return draw;
}

}  // namespace

Frame make_frame(ObjMesh mesh, const ResourceReader& resources, const LoadOptions& options, Loading& loading,
                 const ObjLimits& limits) {
  Frame frame;
  Bounds bounds;
  for (const ObjTriangle& triangle : mesh.triangles) {
    loading.step();
    for (const ObjCorner& corner : triangle.corners) bounds.add(mesh.positions[size_t(corner.position)]);
  }
  set_up_scene(frame, bounds, std::nullopt, options);
  frame.models = {glm::mat4(1.0f)};
  frame.states = {opaque_state(frame), blended_state(frame)};

  loading.until(0.7);
  add_missing_normals(mesh, loading);
  const uint64_t mesh_bytes = mesh.triangles.size() * (sizeof(ObjTriangle) + 3 * sizeof(uint32_t)) +
                              (mesh.positions.size() + mesh.normals.size()) * sizeof(glm::vec3);
  loading.need(mesh_bytes, "f");
  // The last material is that of faces without one.
  std::vector<std::vector<uint32_t>> triangles_of(mesh.materials.size() + 1);
  for (size_t i = 0; i < mesh.triangles.size(); i++) {
    loading.step(i, mesh.triangles.size());
    const int material = mesh.triangles[i].material;
    push_in_steps(triangles_of[material < 0 ? mesh.materials.size() : size_t(material)], uint32_t(i), loading);
  }
  mesh.materials.emplace_back().material.name = "default";
  loading.until(0.85);
  TextureLoader textures(frame, resources, options.warning, loading, limits.texture_pixels);
  std::vector<DrawCommand> blended;
  for (size_t i = 0; i < triangles_of.size(); i++) {
    if (triangles_of[i].empty()) continue;  // the textures of an unused material are not loaded either
    DrawCommand draw = make_draw(frame, mesh, triangles_of[i], loading);
    draw.label = mesh.materials[i].material.name;
    draw.view_count = uint32_t(frame.views.size());
    draw.material = uint32_t(frame.materials.size());
    frame.materials.push_back(make_material(mesh.materials[i], textures));
    if (frame.materials.back().opacity < 1) {
      draw.state = 1;
      blended.push_back(std::move(draw));
    } else {
      frame.commands.emplace_back(std::in_place_type<DrawCommand>, std::move(draw));
    }
  }
  for (DrawCommand& draw : blended) frame.commands.emplace_back(std::in_place_type<DrawCommand>, std::move(draw));
  return frame;
}

Frame read_obj(std::string_view text, std::string_view name, const ResourceReader& resources, const LoadOptions& given,
               const ObjLimits& limits) {
  LoadOptions options = given;
  if (given.warning)
    options.warning = [&](const std::string& problem) { given.warning(std::string(name) + ": " + problem); };
  return named_frame(name, options, [&](Loading& loading) {
    loading.holds(text.size(), "file");
    loading.until(0.6);
    ObjMesh mesh = parse_obj(text, resources, loading);
    loading.at(0.6);
    for (const std::string& problem : mesh.missing) {
      if (options.warning) options.warning(problem + "; drawn with the default material");
    }
    if (mesh.triangles.empty()) fail("field 'f': there are no faces; name an OBJ file with faces");
    return make_frame(std::move(mesh), resources, options, loading, limits);
  });
}

Frame read_obj(const std::filesystem::path& path, const LoadOptions& options, const ObjLimits& limits) {
  const ResourceReader resources = resources_beside(path, limits.file_bytes, OutsideNames::missing);
  Loading loading(options);
  return read_obj(as_text(read_file(path, limits.file_bytes, &loading)), path.string(), resources, options, limits);
}

}  // namespace brokkr
