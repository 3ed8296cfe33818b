// Gives draws of a frame a user's shader: programs, varyings, uniforms and textures as captured draws have them.
#pragma once

#include <string>
#include <vector>

#include "base/loading.h"
#include "brokkr/fragment_shader.h"
#include "shader/program.h"

namespace brokkr {

// A shader as it is compiled.
struct OwnShader {
  const FragmentShader& source;
  std::string text;         // completed_shader
  shader::Program program;  // all that it reads is there, or in programs of the frame
};

// The name of a variable of which this is an element or a member.
std::string variable_name(const std::string& name);

// Uniforms have the values of the text; those that Brokkr gives are 0. Throws what `loading` throws.
void add_own_draws(Frame& frame, const OwnShader& shader, Loading& loading);

}  // namespace brokkr
