// What a fragment shader reads and writes, by the driver's own reflection of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "brokkr/programs.h"
#include "capture/context.h"

namespace brokkr::capture {

// What a vertex gives that rasterization reads.
inline constexpr const char *kPointSize = "gl_PointSize", *kBackColor = "gl_BackColor",
                            *kBackSecondaryColor = "gl_BackSecondaryColor";

// A built-in colour, of either side of faces.
inline bool is_color(const std::string& built_in) {
  return built_in == "gl_Color" || built_in == "gl_SecondaryColor" || built_in == kBackColor ||
         built_in == kBackSecondaryColor;
}

// Whether a built-in varying is a float; all others have four components.
inline bool is_scalar(const std::string& built_in) { return built_in == "gl_FogFragCoord" || built_in == kPointSize; }

struct FragmentInterface {
  FragmentProgram program;
  std::string problem;  // why the file cannot hold the program; empty where it can
};

// `texts`: of all fragment shaders of one program. They are linked alone, in a program that is gone when this returns.
std::shared_ptr<const FragmentInterface> inspect_fragment(const Context& context,
                                                          const std::vector<std::string>& texts);

// Names of the variables that the last stage before rasterization, linked alone, gives to whatever follows it.
std::vector<std::string> vertex_outputs(const Context& context, GLenum type, const std::vector<std::string>& texts);

// Built-in inputs, for which the vertex shader has variables of other names: whether `name` is one that vertices give,
// and the expression for it in a vertex shader.
bool is_built_in(const std::string& name);
std::string vertex_expression(const std::string& built_in);

// The kind, result and comparison of a sampler type. False where it is no sampler that files have.
bool describe_sampler(GLenum type, ProgramSampler& sampler);

// The type of GL's number, if files have it.
std::optional<ShaderType> shader_type(GLenum type);

}  // namespace brokkr::capture
