// The inputs and outputs of a fragment shader, from the driver's reflection.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "brokkr/programs.h"
#include "capture/context.h"

namespace brokkr::capture {

// Vertex outputs that rasterization reads.
inline constexpr const char *kPointSize = "gl_PointSize", *kBackColor = "gl_BackColor",
                            *kBackSecondaryColor = "gl_BackSecondaryColor";

// A built-in colour of either side.
inline bool is_color(const std::string& built_in) {
  return built_in == "gl_Color" || built_in == "gl_SecondaryColor" || built_in == kBackColor ||
         built_in == kBackSecondaryColor;
}

// Whether a built-in varying is a float; all others have four components.
inline bool is_scalar(const std::string& built_in) { return built_in == "gl_FogFragCoord" || built_in == kPointSize; }

struct FragmentInterface {
  FragmentProgram program;
  std::string problem;  // why the file cannot hold the program; empty if it can
};

// `texts`: all fragment shaders of one program. They are linked by themselves, in a temporary program.
std::shared_ptr<const FragmentInterface> inspect_fragment(const Context& context,
                                                          const std::vector<std::string>& texts);

// Names of the output variables of the last stage before rasterization, linked by itself.
std::vector<std::string> vertex_outputs(const Context& context, GLenum type, const std::vector<std::string>& texts);

// Built-in inputs whose names differ in vertex shaders: whether `name` is a vertex output, and the expression for it in
// a vertex shader.
bool is_built_in(const std::string& name);
std::string vertex_expression(const std::string& built_in);

// Kind, result and comparison of a sampler type. Returns false if files do not support the type.
bool describe_sampler(GLenum type, ProgramSampler& sampler);

// The type for GL's constant, if files support it.
std::optional<ShaderType> shader_type(GLenum type);

}  // namespace brokkr::capture
