// The GLSL programs that the reference draws with, compiled on first use.
#pragma once

#include <array>
#include <glm/mat4x4.hpp>
#include <glm/vec4.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "brokkr/frame.h"
#include "reference/gl_object.h"

namespace brokkr {

// Links OpenGL programs from the given texts.

// A program from these stages and their texts. Throws std::runtime_error with the driver's message; `what` names the
// program.
GlProgram link_program(std::initializer_list<std::pair<GLenum, std::string>> texts, const char* what);

// The computation of a vertex's clip position. clip_space: it is given. single: one product with a uniform, for draws
// of a single instance. instanced: with the instance's model matrix, an attribute that advances per instance.
enum class GlVertex : uint8_t { clip_space, single, instanced };
enum class GlFragment : uint8_t { color, triangle, depth, blinn_phong, metallic_roughness };
inline constexpr size_t kGlFragmentCount = 5;

// Identifies a program. Programs that discard are separate, so that the others keep the early depth test.
struct GlProgramKey {
  GlVertex vertex = GlVertex::clip_space;
  GlFragment fragment = GlFragment::color;
  bool discards = false;   // alpha test or alpha cutoff
  bool exact_lod = false;  // GlOptions::exact_lod, for blinn_phong and metallic_roughness
};

// Attribute locations of the vertex shaders.
enum GlAttribute : uint32_t {
  kPositionAttribute,
  kNormalAttribute,
  kTexcoordAttribute,
  kModelAttribute,  // 3..6
  kColorAttribute = 7,
  kSecondTexcoordAttribute,
  kPointSizeAttribute  // of clip-space vertices
};

// The values that a draw provides; a program uses those for which it has uniforms.
struct GlUniforms {
  const View& view;
  const glm::mat4* model = nullptr;  // GlVertex::single
  glm::vec3 light_direction;
  glm::vec4 color;
  const Material& material;
  // In programs with `discards`, fragments are discarded if their alpha fails either test.
  std::optional<AlphaTest> alpha_test;
  float alpha_cutoff = 0;
};

class GlPrograms {
 public:
  // Binds the program of `key`. Throws std::runtime_error with the driver's log if it does not compile.
  void use(const GlProgramKey& key, const GlUniforms& uniforms);

 private:
  static constexpr size_t kCount = 3 * kGlFragmentCount * 2 * 2;
  std::array<GlProgram, kCount> programs_;
};

// A material's textures; texture kind i is in unit i.
enum GlMap : uint32_t {
  kDiffuseMap,
  kAlphaMap,
  kMetallicRoughnessMap,
  kNormalMap,
  kEmissionMap,
  kOcclusionMap,
  kGlMaps
};
// The number of a material's texture in the frame, -1 for none.
int texture_of(const Material& material, GlMap map);

}  // namespace brokkr
