// The front end of run-time shaders: GLSL to SPIR-V, by glslang and spirv-opt.
// No other file uses either.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shader/front_end.h"
#include "shader/spirv_module.h"

namespace brokkr::shader {

// Compiles the fragment or vertex shaders of a program, GLSL 1.10 to 4.60 with the built-ins of their versions, and
// links them to one SPIR-V function that keeps names and line numbers. Throws ShaderError for invalid GLSL, for texts
// longer than kMostText together, and for brackets and expressions nested deeper than a person writes.
//
// glslang and spirv-opt are not hardened against hostile text: they recurse over what they read, and macros can expand
// a short text to a huge one.
// Untrusted text is compiled in a process of its own (brokkr-glsl), whose crash is reported as one more error.
std::vector<uint32_t> compile_glsl(std::span<const std::string> texts, Stage stage = Stage::fragment);

// Takes a SPIR-V module of version 1.0 to 1.6: validates it, gives specialization constants their defaults, and inlines
// the functions of the stage's entry point, main or else the first. Throws ShaderError.
std::vector<uint32_t> take_spirv(std::string_view bytes, Stage stage);

// The module's instructions as text. Throws ShaderError.
std::string disassemble_spirv(std::string_view bytes);

// Preprocesses a text: expands macros, evaluates conditions, removes comments.
// Throws ShaderError.
std::string preprocess_glsl(std::string_view text);

}  // namespace brokkr::shader
