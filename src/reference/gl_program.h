// The GLSL programs that the reference draws with, compiled on first use.
#pragma once

#include <array>
#include <glm/mat4x4.hpp>
#include <glm/vec4.hpp>

#include "brokkr/frame.h"
#include "reference/gl_object.h"

namespace brokkr {

// Where a vertex's clip position comes from: the vertex itself; one product with a uniform, for draws of a single
// instance; or the instance's model matrix, an attribute that each instance advances.
enum class GlVertex : uint8_t { clip_space, single, instanced };
enum class GlFragment : uint8_t { color, triangle, depth, blinn_phong };

// Identifies a program. Programs that discard are separate, so that others keep the early depth test.
struct GlProgramKey {
  GlVertex vertex = GlVertex::clip_space;
  GlFragment fragment = GlFragment::color;
  bool discards = false;  // alpha test or alpha cutoff
  bool operator==(const GlProgramKey&) const = default;
};

// Attribute locations of the vertex shaders.
enum GlAttribute : uint32_t { kPositionAttribute, kNormalAttribute, kTexcoordAttribute, kModelAttribute };  // 3..6

// Uniforms of the bound program, which keeps their values. Setters of uniforms that a program lacks do nothing.
class GlPrograms {
 public:
  // Binds the program of `key`. Throws std::runtime_error with the driver's log if it does not compile.
  void use(const GlProgramKey& key);

  void set_view(const View& view, const glm::vec3& light_direction);
  void set_model(const View& view, const glm::mat4& model);  // GlVertex::single
  void set_color(const glm::vec4& color);
  void set_material(const Material& material);
  // Fragments whose alpha fails either are discarded; programs with `discards`.
  void set_alpha_tests(const std::optional<AlphaTest>& test, float cutoff);

 private:
  static constexpr size_t kCount = 3 * 4 * 2;
  std::array<GlProgram, kCount> programs_;
  GlProgramKey bound_;
};

// Texture units of the material's maps.
inline constexpr uint32_t kDiffuseUnit = 0, kAlphaUnit = 1;

}  // namespace brokkr
