// The values that Brokkr provides to a user's shader, under names that begin
// with "b_" or are Shadertoy's: the tables of docs/guide/shaders.md.
#pragma once

#include <array>
#include <cstdint>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>
#include <span>
#include <string>
#include <vector>

#include "brokkr/fragment_shader.h"
#include "shader/program.h"

namespace brokkr {

class Loading;

// Vertex attributes that the frame does not hold, as means over the adjacent
// faces, in object space. For captured draws the space is that of
// `eye_position`.
struct FaceMeans {
  std::vector<glm::vec3> normals, tangents; // by vertex; empty: not needed
};
FaceMeans face_means(const Frame &frame, const DrawCommand &draw, bool normals,
                     bool tangents, Loading &loading);

// A vertex of one instance of a draw.
struct VertexPlace {
  const Frame &frame;
  const DrawCommand &draw;
  const FaceMeans &means;
  uint32_t instance, vertex; // vertex number within the draw
};

struct GivenInput {
  const char *name;
  uint32_t words;
  glm::vec4 (*value)(const VertexPlace &);
  bool needs_normals = false,
       needs_tangents = false; // from FaceMeans, if the frame holds none
};
std::span<const GivenInput> given_inputs();

// An attribute of a user's vertex shader, in object space.
struct GivenAttribute {
  const char *name;
  uint32_t words;
  glm::vec4 (*value)(const VertexPlace &);
  bool needs_normals = false,
       needs_tangents = false; // from FaceMeans, if the frame holds none
};
std::span<const GivenAttribute> given_attributes();
// The attribute with this name, or of this place in the list: "@2", as a SPIR-V
// module without names says. Null: none.
const GivenAttribute *find_attribute(const std::string &name);

// The draw and view whose uniforms are filled.
struct UniformPlace {
  const Frame &frame;
  const DrawCommand &draw;
  const FragmentShader &shader;
};

struct GivenUniform {
  const char *name;
  shader::Kind kind;
  uint32_t words;
  void (*fill)(const UniformPlace &, uint32_t *to);
  bool of_view = false;     // differs between the views of a draw
  bool of_instance = false; // differs between its instances
};
std::span<const GivenUniform> given_uniforms();

// A sampler2D that reads one of the material's textures.
struct GivenSampler {
  const char *name;
  int Material::*texture;
  uint32_t otherwise; // the only texel if the material has no such texture:
                      // 0xAABBGGRR
};
std::span<const GivenSampler> given_samplers();

// Shadertoy's channels read noise if no texture is given: four independent
// channels, at Shadertoy's size.
inline constexpr int kNoiseSize = 256;

// The entry with this name, or null.
template <class Given>
const Given *find_given(std::span<const Given> all, const std::string &name) {
  for (const Given &one : all) {
    if (name == one.name)
      return &one;
  }
  return nullptr;
}

} // namespace brokkr
