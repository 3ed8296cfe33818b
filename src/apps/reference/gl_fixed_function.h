// Fixed-function fragments of OpenGL 1.5, and built-in state that shaders read, set through a compatibility context.
#pragma once

#include <cstdint>

#include "brokkr/frame.h"

namespace brokkr {

// Sets texture environments, fog and the second colour for a program without texts.
void apply_fixed_function(const FragmentProgram& program);

// Sets gl_Fog.color and similar: a uniform of the default block whose name begins with gl_, and its words.
void set_built_in(const ProgramUniform& uniform, const uint32_t* words);

}  // namespace brokkr
