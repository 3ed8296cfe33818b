// Fixed function: its fragment state as the file has it, and its vertex state as the text of a vertex shader.
#pragma once

#include <string>
#include <vector>

#include "brokkr/programs.h"
#include "capture/context.h"

namespace brokkr::capture {

// What takes the place of a fragment shader. `program` has `fixed`, the samplers and the varyings.
struct FixedFragment {
  FragmentProgram program;
  std::vector<std::string> notes;  // properties that the file cannot hold
};
FixedFragment read_fixed_fragment(const Context& context);

// What vertices of fixed function give now beside what the fragments of `program` name: kPointSize, where sizes depend
// on the distance, and the colours of back faces.
std::vector<std::string> more_fixed_varyings(const Context& context, const FragmentProgram& program);

// What the layer calls the varying with which a vertex shader copies built-in varying number `i` of a list.
std::string copied_name(size_t i);

// A vertex shader (GLSL 1.20) that does what fixed function does now for gl_Position and these built-in varyings.
// `opaque`: only GL knows the vertices, which may have materials of their own (materials.h).
std::string fixed_vertex_text(const Context& context, const std::vector<std::string>& built_ins, bool opaque);

// The value of built-in state that a fragment shader may read as a uniform (gl_Fog.color), in 32-bit words. False where
// it is not known.
bool read_built_in(const Context& context, const ProgramUniform& uniform, uint32_t* words);

}  // namespace brokkr::capture
