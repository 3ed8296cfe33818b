// Gives draws of a frame a user's shader, in the form that captured draws have: programs, varyings, uniforms and
// textures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "brokkr/fragment_shader.h"
#include "shader/program.h"

namespace brokkr {

class Loading;

// A shader after compilation.
struct OwnShader {
  const FragmentShader& source;  // of its pass (plan/own_buffers.h)
  std::string text;              // as completed by completed_shader
  shader::Program program;  // everything it reads is provided by Brokkr, its vertex shader or programs of the frame
  // The picture's pass with a vertex shader.
  std::string vertex_text;
  std::optional<shader::Program> vertex;
};

// The output word of the vertex shader that an input of the fragment shader reads, or kNoWord.
uint32_t vertex_output(const OwnShader& shader, const shader::Input& input, uint32_t word);

// The name of the variable that contains this element or member.
std::string variable_name(const std::string& name);

// Uniforms get the values of the shader's text; uniforms that Brokkr provides start at 0. `pass` draws the picture
// where it is kPicturePass, otherwise that buffer, by a draw of its own before all others. Throws what `loading`
// throws.
void add_own_draws(Frame& frame, const OwnShader& shader, int pass, Loading& loading);

}  // namespace brokkr
