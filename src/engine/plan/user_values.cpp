#include "plan/user_shader.h"

#include <bit>
#include <cmath>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>
#include <glm/matrix.hpp>

#include "base/loading.h"
#include "frame/frame_tables.h"
#include "plan/prepare.h"

namespace brokkr {
namespace {

using shader::Kind;

constexpr double kFrameRate = 60;  // pictures per second, for shaders that count frames (iFrame, iFrameRate)

const Target& target_of(const Frame& frame, const DrawCommand& draw) {
  return frame.targets[frame.views[draw.first_view].target];
}
// Only draws of a scene have models. A user's vertex shader computes vertices of such draws only.
bool is_captured(const Frame& frame, const DrawCommand& draw) {
  return draw.vertex_kind == VertexKind::clip_space && (draw.vertices < 0 || frame.models.empty());
}
bool is_captured(const VertexPlace& place) { return is_captured(place.frame, place.draw); }

// Guesses the eye position of a captured draw, assuming a vertical field of view of 67 degrees.
glm::vec3 eye_position(const Frame& frame, const DrawCommand& draw, const glm::vec4& clip) {
  const Target& target = target_of(frame, draw);
  constexpr float kHalfHeight = 0.66f;
  return {clip.x * kHalfHeight * float(target.width) / float(target.height), clip.y * kHalfHeight, -clip.w};
}

size_t index_of(const VertexPlace& place) {
  const size_t vertices_before = is_captured(place) ? size_t(place.instance) * place.draw.vertex_count : 0;
  return size_t(place.draw.first_vertex) + vertices_before + place.vertex;
}
glm::vec3 object_position(const VertexPlace& place) {
  const glm::vec4& p = place.frame.positions[index_of(place)];
  return is_captured(place) ? eye_position(place.frame, place.draw, p) : glm::vec3(p);
}
glm::vec3 object_normal(const VertexPlace& place) {
  if (!place.means.normals.empty()) return place.means.normals[place.vertex];
  return place.frame.normals[index_of(place)];
}
glm::mat4 model_of(const VertexPlace& place) {
  return is_captured(place) ? glm::mat4(1) : place.frame.models[place.draw.first_instance + place.instance];
}
const Material& material_of(const Frame& frame, const DrawCommand& draw) { return frame.materials[draw.material]; }

glm::vec2 texcoord(const VertexPlace& place, uint32_t set) {
  const std::vector<glm::vec2>& all = set == 0 ? place.frame.texcoords : place.frame.second_texcoords;
  return all.empty() ? glm::vec2(0) : all[index_of(place)];
}
// The coordinate at which the base colour's texture is read.
glm::vec2 base_texcoord(const VertexPlace& place) {
  const TextureMapping& mapping = material_of(place.frame, place.draw).diffuse_mapping;
  return mapping.linear * texcoord(place, mapping.set) + mapping.offset;
}

constexpr GivenInput kInputs[] = {
    {"b_position", 3, [](const VertexPlace& place) { return model_of(place) * glm::vec4(object_position(place), 1); }},
    {"b_normal", 3, [](const VertexPlace& place) { return model_of(place) * glm::vec4(object_normal(place), 0); },
     true},
    {"b_tangent", 3,
     [](const VertexPlace& place) { return model_of(place) * glm::vec4(place.means.tangents[place.vertex], 0); }, false,
     true},
    {"b_object_position", 3, [](const VertexPlace& place) { return glm::vec4(object_position(place), 1); }},
    {"b_object_normal", 3, [](const VertexPlace& place) { return glm::vec4(object_normal(place), 0); }, true},
    {"b_uv", 2, [](const VertexPlace& place) { return glm::vec4(base_texcoord(place), 0, 0); }},
    {"b_second_uv", 2, [](const VertexPlace& place) { return glm::vec4(texcoord(place, 1), 0, 0); }},
    {"b_color", 4,
     [](const VertexPlace& place) {
       return place.frame.colors.empty() ? glm::vec4(1) : place.frame.colors[index_of(place)];
     }},
    {"b_surface", 3,
     [](const VertexPlace& place) {
       const bool has = !is_captured(place) && !place.frame.texcoords.empty();
       return glm::vec4(base_texcoord(place), has ? 1 : 0, 0);
     }},
};

constexpr GivenAttribute kAttributes[] = {
    {"b_position", 3, [](const VertexPlace& place) { return glm::vec4(object_position(place), 1); }},
    {"b_normal", 3, [](const VertexPlace& place) { return glm::vec4(object_normal(place), 0); }, true},
    {"b_tangent", 3, [](const VertexPlace& place) { return glm::vec4(place.means.tangents[place.vertex], 0); }, false,
     true},
    {"b_uv", 2, [](const VertexPlace& place) { return glm::vec4(base_texcoord(place), 0, 0); }},
    {"b_second_uv", 2, [](const VertexPlace& place) { return glm::vec4(texcoord(place, 1), 0, 0); }},
    {"b_color", 4,
     [](const VertexPlace& place) {
       return place.frame.colors.empty() ? glm::vec4(1) : place.frame.colors[index_of(place)];
     }},
};

template <class... Numbers>
void put(uint32_t* words, Numbers... numbers) {
  ((*words++ = std::bit_cast<uint32_t>(float(numbers))), ...);
}
void put3(uint32_t* words, const glm::vec3& v) { put(words, v.x, v.y, v.z); }
void put_matrix(uint32_t* words, const glm::mat4& m) {
  for (int i = 0; i < 16; ++i) put(words + i, m[i / 4][i % 4]);
}
void put_count(uint32_t* words, const UniformPlace& place) { *words = uint32_t(frame_number(place.shader)); }

// The model of the draw's only instance, if a vertex shader draws it.
glm::mat4 model_of(const UniformPlace& place) {
  return is_captured(place.frame, place.draw) ? glm::mat4(1) : place.frame.models[place.draw.first_instance];
}

const View& view_of(const UniformPlace& place) { return place.frame.views[place.draw.first_view]; }

// The world-to-eye matrix, which we recover from its product with the projection. Identity if the projection is not a
// perspective without shear.
glm::mat4 view_matrix(const View& view) {
  const glm::mat4 rows = glm::transpose(view.view_projection);
  const glm::vec3 forward(rows[3]), up(rows[1]);
  if (!(glm::length(forward) > 0) || !(glm::length(glm::cross(forward, up)) > 0)) return glm::mat4(1);
  return glm::lookAtRH(view.eye, view.eye + glm::normalize(forward), up);
}

glm::vec2 size_of(const UniformPlace& place) {
  const Target& target = target_of(place.frame, place.draw);
  return {float(target.width), float(target.height)};
}

void fill_light(const UniformPlace& place, uint32_t* words) {
  const glm::vec3& light = place.frame.light_direction;
  const float length = glm::length(light);
  put3(words, length > 0 ? light / length : glm::vec3(0, 1, 0));
}
void fill_channel_sizes(const UniformPlace& place, uint32_t* words);

constexpr GivenUniform kUniforms[] = {
    {"b_base_color", Kind::number, 4,
     [](const UniformPlace& place, uint32_t* words) {
       const Material& m = material_of(place.frame, place.draw);
       put(words, m.diffuse.x, m.diffuse.y, m.diffuse.z, m.opacity);
     }},
    {"b_metallic", Kind::number, 1,
     [](const UniformPlace& place, uint32_t* words) {
       const Material& m = material_of(place.frame, place.draw);
       put(words, m.kind == MaterialKind::blinn_phong ? 0.0f : m.metallic);
     }},
    {"b_roughness", Kind::number, 1,
     [](const UniformPlace& place, uint32_t* words) {
       put(words, roughness_of(material_of(place.frame, place.draw)));
     }},
    {"b_emission", Kind::number, 3,
     [](const UniformPlace& place, uint32_t* words) { put3(words, material_of(place.frame, place.draw).emission); }},
    {"b_specular", Kind::number, 3,
     [](const UniformPlace& place, uint32_t* words) { put3(words, material_of(place.frame, place.draw).specular); }},
    {"b_shininess", Kind::number, 1,
     [](const UniformPlace& place, uint32_t* words) { put(words, material_of(place.frame, place.draw).shininess); }},
    {"b_alpha_cutoff", Kind::number, 1,
     [](const UniformPlace& place, uint32_t* words) { put(words, material_of(place.frame, place.draw).alpha_cutoff); }},
    {"b_camera_position", Kind::number, 3,
     [](const UniformPlace& place, uint32_t* words) {
       put3(words, is_captured(place.frame, place.draw) ? glm::vec3(0) : view_of(place).eye);
     },
     true},
    {"b_view", Kind::number, 16,
     [](const UniformPlace& place, uint32_t* words) { put_matrix(words, view_matrix(view_of(place))); }, true},
    {"b_projection", Kind::number, 16,
     [](const UniformPlace& place, uint32_t* words) {
       put_matrix(words, view_of(place).view_projection * glm::inverse(view_matrix(view_of(place))));
     },
     true},
    {"b_model", Kind::number, 16,
     [](const UniformPlace& place, uint32_t* words) { put_matrix(words, model_of(place)); }, false, true},
    {"b_normal_matrix", Kind::number, 9,
     [](const UniformPlace& place, uint32_t* words) {
       const glm::mat3 m = glm::mat3(model_of(place));
       // Uses cofactors, because a model that flattens has no inverse.
       const glm::mat3 normals(glm::cross(m[1], m[2]), glm::cross(m[2], m[0]), glm::cross(m[0], m[1]));
       const float sign = glm::dot(m[0], normals[0]) < 0 ? -1.0f : 1.0f;
       for (int i = 0; i < 3; ++i) put3(words + 3 * i, normals[i] * sign);
     },
     false, true},
    {"b_light_direction", Kind::number, 3, fill_light},
    {"b_time", Kind::number, 1, [](const UniformPlace& place, uint32_t* words) { put(words, place.shader.time); }},
    {"b_frame", Kind::whole, 1, [](const UniformPlace& place, uint32_t* words) { put_count(words, place); }},
    {"b_resolution", Kind::number, 2,
     [](const UniformPlace& place, uint32_t* words) { put(words, size_of(place).x, size_of(place).y); }},
    {"iResolution", Kind::number, 3,
     [](const UniformPlace& place, uint32_t* words) { put(words, size_of(place).x, size_of(place).y, 1); }},
    {"iTime", Kind::number, 1, [](const UniformPlace& place, uint32_t* words) { put(words, place.shader.time); }},
    {"iGlobalTime", Kind::number, 1, [](const UniformPlace& place, uint32_t* words) { put(words, place.shader.time); }},
    {"iTimeDelta", Kind::number, 1, [](const UniformPlace&, uint32_t* words) { put(words, 1 / kFrameRate); }},
    {"iFrameRate", Kind::number, 1, [](const UniformPlace&, uint32_t* words) { put(words, kFrameRate); }},
    {"iFrame", Kind::whole, 1, [](const UniformPlace& place, uint32_t* words) { put_count(words, place); }},
    {"iSampleRate", Kind::number, 1, [](const UniformPlace&, uint32_t* words) { put(words, 44100); }},
    {"iMouse", Kind::number, 4,
     [](const UniformPlace& place, uint32_t* words) {
       const std::array<double, 4>& mouse = place.shader.mouse;
       put(words, mouse[0], mouse[1], mouse[2], mouse[3]);
     }},
    {"iDate", Kind::number, 4, [](const UniformPlace&, uint32_t* words) { put(words, 0, 0, 0, 0); }},
    {"iChannelTime", Kind::number, 4,
     [](const UniformPlace& place, uint32_t* words) {
       put(words, place.shader.time, place.shader.time, place.shader.time, place.shader.time);
     }},
    {"iChannelResolution", Kind::number, 12, fill_channel_sizes},
};

constexpr uint32_t kWhite = 0xffffffff, kFlatNormal = 0xffff8080;
constexpr GivenSampler kSamplers[] = {
    {"b_base_map", &Material::diffuse_texture, kWhite},
    {"b_alpha_map", &Material::alpha_texture, kWhite},
    {"b_metallic_roughness_map", &Material::metallic_roughness_texture, kWhite},
    {"b_normal_map", &Material::normal_texture, kFlatNormal},
    {"b_emission_map", &Material::emission_texture, kWhite},
    {"b_occlusion_map", &Material::occlusion_texture, kWhite},
};

// Fills the sizes of the given textures, or of the noise texture that replaces a missing one.
void fill_channel_sizes(const UniformPlace& place, uint32_t* words) {
  for (int i = 0; i < 4; ++i, words += 3) {
    const std::string name = "iChannel" + std::to_string(i);
    const auto found = place.shader.textures.find(name);
    if (found != place.shader.textures.end()) {
      put(words, found->second.width, found->second.height, 1);
      continue;
    }
    const ShaderChannel channel = channel_of(place.shader, name).value_or(ShaderChannel{});
    switch (channel.source) {
      case ShaderChannel::Source::noise: put(words, kNoiseSize, kNoiseSize, 1); break;
      case ShaderChannel::Source::keyboard: put(words, kKeyboardWidth, 3, 1); break;
      case ShaderChannel::Source::silence: put(words, kSilenceWidth, 2, 1); break;
      case ShaderChannel::Source::buffer: {
        const CapturedTexture& texture =
            place.frame.captured_textures[buffer_texture(place.frame, channel.buffer, true)];
        put(words, texture.width, texture.height, 1);
        break;
      }
    }
  }
}

// Calls f(vertex numbers of the corners) for each triangle of the draw. Strips and fans with restart are skipped.
template <class F>
void each_triangle(const Frame& frame, const DrawCommand& draw, Loading& loading, F&& f) {
  if (draw.topology > Topology::triangle_fan || draw.restart || draw.element_count < 3) return;
  const Assembly assembly = draw.topology == Topology::triangles        ? Assembly::list
                            : draw.topology == Topology::triangle_strip ? Assembly::strip
                                                                        : Assembly::fan;
  const uint64_t count = primitive_count(draw.topology, draw.element_count);
  for (uint32_t i = 0; i < count; ++i) {
    loading.step(i, count);
    uint32_t vertex[3];
    triangle_elements(assembly, i, vertex);
    if (draw.indexed) {
      for (uint32_t& one : vertex) one = frame.indices[size_t(draw.first_index) + one];
    }
    f(vertex);
  }
}

}  // namespace

std::span<const GivenInput> given_inputs() { return kInputs; }
std::span<const GivenAttribute> given_attributes() { return kAttributes; }
const GivenAttribute* find_attribute(const std::string& name) {
  for (size_t i = 0; i < std::size(kAttributes); ++i) {
    if (name == kAttributes[i].name || name == "@" + std::to_string(i)) return &kAttributes[i];
  }
  return nullptr;
}
std::span<const GivenUniform> given_uniforms() { return kUniforms; }
std::span<const GivenSampler> given_samplers() { return kSamplers; }

int64_t frame_number(const FragmentShader& shader) { return int64_t(std::floor(shader.time * kFrameRate + 1e-6)); }

FaceMeans face_means(const Frame& frame, const DrawCommand& draw, bool normals, bool tangents, Loading& loading) {
  FaceMeans means;
  if (!normals && !tangents) return means;
  loading.check(uint64_t(draw.vertex_count) * 2 * sizeof(glm::vec3), "normals");
  if (normals) means.normals.resize(draw.vertex_count);
  if (tangents) means.tangents.resize(draw.vertex_count);
  each_triangle(frame, draw, loading, [&](const uint32_t(&vertex)[3]) {
    const auto place = [&](int i) { return VertexPlace{frame, draw, means, 0, vertex[i]}; };
    const glm::vec3 p = object_position(place(0)), a = object_position(place(1)) - p, b = object_position(place(2)) - p;
    glm::vec3 normal = glm::cross(a, b);
    // Captured faces have no known orientation, so the normal points towards the eye.
    if (is_captured(frame, draw) && glm::dot(normal, p) > 0) normal = -normal;
    const glm::vec2 t = base_texcoord(place(0)), u = base_texcoord(place(1)) - t, v = base_texcoord(place(2)) - t;
    const float turn = u.x * v.y - u.y * v.x < 0 ? -1.0f : 1.0f;
    for (const uint32_t one : vertex) {
      if (normals) means.normals[one] += normal;
      if (tangents) means.tangents[one] += (a * v.y - b * u.y) * turn;
    }
  });
  return means;
}

}  // namespace brokkr
