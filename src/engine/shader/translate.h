// From SPIR-V to a program: vectors become scalars, branches become masks.
#pragma once

#include "shader/program.h"
#include "shader/spirv_module.h"

namespace brokkr::shader {

// `module` is that of a fragment shader whose functions are all in main (spirv-opt -O does that). Throws ShaderError
// for what the interpreter has no instruction for: doubles, storage buffers and images, atomics, samplers other than
// sampler2D and sampler2DShadow.
//
// A block of the control-flow graph has a mask, the union of those of the edges that lead to it; an edge's mask is that
// of its block and the condition. Blocks stand in an order in which control only goes forward, but for the jumps back
// of loops, so that one pass over them suffices. A lane that leaves a loop is kept in mind by the mask of the block
// that it leaves for, and what the loop computed for it in cells, until the loop ends for all lanes.
Program translate(const SpirvModule& module);

}  // namespace brokkr::shader
