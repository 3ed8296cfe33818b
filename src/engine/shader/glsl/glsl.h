// The front end of run-time shaders: GLSL to SPIR-V, by glslang and spirv-opt. The only place that knows either.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shader/front_end.h"
#include "shader/spirv_module.h"

namespace brokkr::shader {

// The fragment shaders of a program in GLSL 1.10 to 4.60, with the built-in variables and functions of their versions,
// linked to one function in SPIR-V with the names of the texts and their lines. Throws ShaderError for what GLSL
// forbids, for texts that are longer than kMostText together, and for brackets and expressions that are nested deeper
// than a person writes.
//
// glslang and spirv-opt are made for friendly text: they recurse over what they read, and macros may make much of
// little. Text of others is compiled in a process of its own (brokkr-glsl), whose end is one more error.
std::vector<uint32_t> compile_glsl(std::span<const std::string> texts);

// The text as the compiler sees it: macros replaced, conditions decided, comments gone. Throws ShaderError.
std::string preprocess_glsl(std::string_view text);

}  // namespace brokkr::shader
