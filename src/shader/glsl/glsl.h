// The front end of run-time shaders: GLSL to SPIR-V, by glslang and spirv-opt. The only place that knows either.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shader/spirv_module.h"

namespace brokkr::shader {

inline constexpr size_t kMostText = size_t(1) << 20;  // bytes of a shader

// A fragment shader of GLSL 1.10 to 4.60, with the built-in variables and functions of its version, as one function in
// SPIR-V with the names of the text and its lines. Throws ShaderError for what GLSL forbids, for text that is longer
// than kMostText, and for brackets and expressions that are nested deeper than a person writes.
//
// glslang and spirv-opt are made for friendly text: they recurse over what they read, and macros may make much of
// little. Text of others is compiled in a process of its own (brokkr-glsl), whose end is one more error.
std::vector<uint32_t> compile_glsl(std::string_view text);

// The text as the compiler sees it: macros replaced, conditions decided, comments gone. Throws ShaderError.
std::string preprocess_glsl(std::string_view text);

}  // namespace brokkr::shader
