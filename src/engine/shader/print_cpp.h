// Prints a shader's machine code as C++ text, which is compiled at run time (shader/compiled.h).
#pragma once

#include <string>

#include "shader/assemble.h"

namespace brokkr::shader {

// Prints a function `name` of type CompiledShader that uses shade/compiled_shader.h. Registers are variables r0, r1 …,
// masks are m0, m1 …, and arrays are a0 …. All words of the text are ours; only numbers come from a file.
//
// `holds_lookups`: the text contains lookups whose parameters are known (KnownBit). Otherwise all lookups call the
// kernel.
std::string to_cpp(const Code& code, const std::string& name, bool holds_lookups = true);

}  // namespace brokkr::shader
