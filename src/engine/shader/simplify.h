// Simplifies a program by known uniforms and constants, and removes what no output needs.
#pragma once

#include <cstdint>
#include <map>

#include "shader/call.h"
#include "shader/program.h"

namespace brokkr::shader {

// Substitutes the uniform words of `given` (bits by word number) and evaluates with `kernel` what then depends on
// constants alone, so results have the bits of a run. Code whose condition admits no lane is removed: an alpha test
// that a uniform disables leaves no discard.
void fold(Program& program, const std::map<uint32_t, uint32_t>& given, const ShaderKernel& kernel);

// The same without substitution and evaluation: simplifies masks that are known to be full or empty.
void fold_masks(Program& program);

// Removes what neither outputs nor discards need.
void sweep(Program& program);

}  // namespace brokkr::shader
