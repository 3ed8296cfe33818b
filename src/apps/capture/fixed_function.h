// Fixed function: its fragment state in the file's form, and its vertex state as the text of a vertex shader.
#pragma once

#include <string>
#include <vector>

#include "brokkr/programs.h"
#include "capture/context.h"

namespace brokkr::capture {

// The replacement of a fragment shader. `program` has `fixed`, the samplers and the varyings.
struct FixedFragment {
  FragmentProgram program;
  std::vector<std::string> notes;  // properties that the file cannot hold
};
FixedFragment read_fixed_fragment(const Context& context);

// Outputs of fixed-function vertices beyond those that the fragments of `program` read: kPointSize, if sizes depend on
// the distance, and the colours of back faces.
std::vector<std::string> more_fixed_varyings(const Context& context, const FragmentProgram& program);

// The layer's name for the varying to which a vertex shader copies built-in varying number `i` of a list.
std::string copied_name(size_t i);

// A vertex shader (GLSL 1.20) that computes gl_Position and these built-in varyings as fixed function currently does.
// `opaque`: only GL knows the vertices, which may have their own materials (materials.h).
std::string fixed_vertex_text(const Context& context, const std::vector<std::string>& built_ins, bool opaque);

// Reads built-in state that a fragment shader may use as a uniform (gl_Fog.color), as 32-bit words. Returns false if it
// is unknown.
bool read_built_in(const Context& context, const ProgramUniform& uniform, uint32_t* words);

}  // namespace brokkr::capture
