// Machine code of a shader as C++ text, which is compiled while the program runs (shader/compiled.h).
#pragma once

#include <string>

#include "shader/assemble.h"

namespace brokkr::shader {

// A function `name` of type CompiledShader on top of shade/compiled_shader.h: registers are variables r0, r1 …, masks
// m0, m1 …, arrays a0 …. All words of the text are ours; what comes from a file are numbers.
//
// `holds_lookups`: lookups of which it is known how they read (KnownBit) are in the text, else all are the kernel's.
std::string to_cpp(const Code& code, const std::string& name, bool holds_lookups = true);

}  // namespace brokkr::shader
