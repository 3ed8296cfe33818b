// The front end of run-time shaders: glslang and spirv-opt translate GLSL to SPIR-V. No other file uses these two.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shader/front_end.h"
#include "shader/spirv_module.h"

namespace brokkr::shader {

// Compiles the fragment or vertex shaders of a program, GLSL 1.10 to 4.60 with the built-ins of their versions. Links
// them to one SPIR-V function that keeps names and line numbers. Throws ShaderError for invalid GLSL, if the texts
// together are longer than kMaxText, and if brackets and expressions are nested deeper than a person writes.
//
// glslang and spirv-opt are not hardened against hostile text. They are recursive, and macros can expand a short text
// to a huge one. Untrusted text is therefore compiled in a separate process (brokkr-glsl); if that crashes, the crash
// is reported like any other error.
std::vector<uint32_t> compile_glsl(std::span<const std::string> texts, Stage stage = Stage::fragment);

// Validates a SPIR-V module of version 1.0 to 1.6, gives specialization constants their defaults, and inlines the
// functions of the stage's entry point, which is main or otherwise the first. Throws ShaderError.
std::vector<uint32_t> take_spirv(std::string_view bytes, Stage stage);

// Returns the module's instructions as text. Throws ShaderError.
std::string disassemble_spirv(std::string_view bytes);

// Preprocesses a text: expands macros, evaluates conditions, removes comments. Throws ShaderError.
std::string preprocess_glsl(std::string_view text);

}  // namespace brokkr::shader
