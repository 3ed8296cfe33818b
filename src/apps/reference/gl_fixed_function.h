// Fixed-function fragments of OpenGL 1.5, and built-in state that shaders read, as calls of a compatibility context.
#pragma once

#include <cstdint>

#include "brokkr/frame.h"

namespace brokkr {

// Texture environments, fog and the second colour of a program that has no texts.
void apply_fixed_function(const FragmentProgram& program);

// gl_Fog.color and the like: a uniform of the default block whose name begins with gl_, and its words.
void set_built_in(const ProgramUniform& uniform, const uint32_t* words);

}  // namespace brokkr
