// A program with what is known put in: uniforms that are given, constants, and nothing that no output needs.
#pragma once

#include <cstdint>
#include <map>

#include "shader/call.h"
#include "shader/program.h"

namespace brokkr::shader {

// Puts in the uniform words of `given` (their bits by number), and computes what then depends on constants alone, by
// `kernel`, so that the bits are those of a run. Lanes that no condition lets in are left out: an alpha test that a
// uniform switches off leaves no discard.
void fold(Program& program, const std::map<uint32_t, uint32_t>& given, const ShaderKernel& kernel);

// The same with nothing given and nothing computed: masks of which it is known that they have all lanes, or none.
void fold_masks(Program& program);

// Leaves out what neither outputs nor discards need.
void sweep(Program& program);

}  // namespace brokkr::shader
