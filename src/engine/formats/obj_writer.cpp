#include "formats/obj.h"

#include <initializer_list>
#include <string>
#include <vector>

#include "base/failure.h"
#include "base/file_io.h"
#include "formats/resources.h"

namespace brokkr {
namespace {

void check(const std::filesystem::path& path, const Frame& frame, size_t command, const DrawCommand& draw) {
  const auto refuse = [&](const std::string& problem) {
    fail("{}: command {}: {}, which an OBJ file cannot hold; write a .bkf file", path.string(), command, problem);
  };
  if (draw.vertex_kind != VertexKind::transform) refuse("its positions are in clip space");
  if (draw.topology != Topology::triangles) refuse("it is not a triangle list");
  if (draw.instances != 1) refuse(fmt::format("it has {} instances", draw.instances));
  if (frame.models[draw.first_instance] != glm::mat4(1.0f)) refuse("its model matrix is not the identity");
}

// Writes a line of numbers after the keyword.
void print(std::string& text, const char* keyword, std::initializer_list<float> values) {
  text += keyword;
  for (const float value : values) text += fmt::format(" {:.9g}", value);
  text += '\n';
}

std::string material_name(const Frame& frame, uint32_t material) {
  std::string name = frame.materials[material].name;
  for (char& c : name) {
    if (c <= ' ') c = '_';
  }
  return "m" + std::to_string(material) + (name.empty() ? "" : "_" + name);
}

// The path of the texture's file relative to `folder`, which is empty for the current folder; empty if there is no
// file.
std::string texture_path(const Frame& frame, int texture, const std::filesystem::path& folder,
                         const std::filesystem::path& texture_folder) {
  if (texture < 0 || frame.textures[size_t(texture)].name.empty()) return {};
  const std::filesystem::path file = texture_folder / frame.textures[size_t(texture)].name;
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return {};
  const auto relative =
      std::filesystem::proximate(absolute_path(file), absolute_path(folder.empty() ? "." : folder), error);
  return error ? file.string() : relative.generic_string();
}

// `outside` receives the textures that do not lie below `folder`.
std::string materials(const Frame& frame, const std::filesystem::path& folder,
                      const std::filesystem::path& texture_folder, std::vector<std::string>& outside) {
  std::string text;
  const auto add = [&](const char* key, int texture) {
    const std::string name = texture_path(frame, texture, folder, texture_folder);
    if (name.empty()) return;
    text += fmt::format("{} {}\n", key, name);
    if (is_outside(name)) outside.push_back(name);
  };
  for (uint32_t i = 0; i < frame.materials.size(); ++i) {
    const Material& m = frame.materials[i];
    text += "newmtl " + material_name(frame, i) + "\n";
    print(text, "Kd", {m.diffuse.x, m.diffuse.y, m.diffuse.z});
    print(text, "Ks", {m.specular.x, m.specular.y, m.specular.z});
    print(text, "Ke", {m.emission.x, m.emission.y, m.emission.z});
    print(text, "Ns", {m.shininess});
    print(text, "d", {m.opacity});
    add("map_Kd", m.diffuse_texture);
    add("map_d", m.alpha_texture);
  }
  return text;
}

}  // namespace

std::vector<std::string> write_obj(const Frame& frame, const std::filesystem::path& path,
                                   const std::filesystem::path& texture_folder) {
  for (size_t c = 0; c < frame.commands.size(); ++c) {
    if (const auto* draw = std::get_if<DrawCommand>(&frame.commands[c])) check(path, frame, c, *draw);
  }
  const std::filesystem::path library = std::filesystem::path(path).replace_extension(".mtl");
  std::string text = "mtllib " + library.filename().string() + "\n";
  for (size_t i = 0; i < frame.positions.size(); i++) {
    const glm::vec4& p = frame.positions[i];
    if (frame.colors.empty()) {
      print(text, "v", {p.x, p.y, p.z});
    } else {
      print(text, "v", {p.x, p.y, p.z, frame.colors[i].x, frame.colors[i].y, frame.colors[i].z});
    }
  }
  for (const glm::vec2& t : frame.texcoords) print(text, "vt", {t.x, t.y});
  for (const glm::vec3& n : frame.normals) print(text, "vn", {n.x, n.y, n.z});
  const bool has_texcoords = !frame.texcoords.empty(), has_normals = !frame.normals.empty();
  for (const Command& command : frame.commands) {
    const auto* draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr) continue;
    text += "usemtl " + material_name(frame, draw->material) + "\n";
    for (uint32_t i = 0; i + 2 < draw->element_count; i += 3) {
      text += 'f';
      for (uint32_t k = 0; k < 3; ++k) {
        const uint64_t v = draw->first_vertex + (draw->indexed ? frame.indices[draw->first_index + i + k] : i + k) + 1;
        text += fmt::format(" {}", v);
        if (has_texcoords || has_normals) text += '/';
        if (has_texcoords) text += fmt::format("{}", v);
        if (has_normals) text += fmt::format("/{}", v);
      }
      text += '\n';
    }
  }
  std::vector<std::string> outside;
  write_text(library, materials(frame, path.parent_path(), texture_folder, outside));
  write_text(path, text);
  return outside;
}

}  // namespace brokkr
