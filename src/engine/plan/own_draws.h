// Gives draws of a frame a user's shader, in the form that captured draws have: programs, varyings, uniforms and
// textures.
#pragma once

#include <string>
#include <vector>

#include "brokkr/fragment_shader.h"
#include "shader/program.h"

namespace brokkr {

class Loading;

// A shader after compilation.
struct OwnShader {
  const FragmentShader& source;  // of its pass (plan/own_buffers.h)
  std::string text;              // as completed by completed_shader
  shader::Program program;       // everything it reads is provided by Brokkr or by programs of the frame
};

// The name of the variable that contains this element or member.
std::string variable_name(const std::string& name);

// Uniforms get the values of the shader's text; uniforms that Brokkr provides start at 0. `pass` draws the picture
// where it is kPicturePass, otherwise that buffer, by a draw of its own before all others. Throws what `loading`
// throws.
void add_own_draws(Frame& frame, const OwnShader& shader, int pass, Loading& loading);

}  // namespace brokkr
