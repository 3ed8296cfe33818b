// Translates SPIR-V to a program: vectors become scalars, branches become masks.
#pragma once

#include "shader/program.h"
#include "shader/spirv_module.h"

namespace brokkr::shader {

// `module` must be a fragment shader with all functions inlined into main (spirv-opt -O does that). Throws ShaderError
// for features that the interpreter lacks: doubles, storage buffers and images, atomics, unsupported samplers.
//
// A block of the control-flow graph has a mask: the union of the masks of its incoming edges. An edge's mask is its
// block's mask and the branch condition. In the block order control only goes forward, except for back edges of loops,
// so one pass suffices. A lane that leaves a loop is recorded in the mask of the block that it leaves for, and its
// values are kept in cells, until the loop ends for all lanes.
Program translate(const SpirvModule& module);

}  // namespace brokkr::shader
