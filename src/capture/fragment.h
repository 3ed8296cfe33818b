// What a fragment shader reads and writes, by the driver's own reflection of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "brokkr/programs.h"
#include "capture/context.h"

namespace brokkr::capture {

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
