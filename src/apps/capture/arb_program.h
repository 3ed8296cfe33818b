// Translates programs in assembly language (GL_ARB_vertex_program, GL_ARB_fragment_program) to GLSL 1.20, because
// transform feedback does not record them, and files hold no assembly.
//
// Built-in state becomes GLSL's built-in state (state.matrix.mvp: gl_ModelViewProjectionMatrixTranspose), and so do
// inputs and outputs. Other inputs have names of the layer:
//   arb_vertex_env, arb_vertex_local      uniform arrays: the parameters of the vertex program
//   arb_fragment_env, arb_fragment_local  those of the fragment program
//   arb_matrix                            uniform array: the program matrices
//   arb_attribute_N                       generic attribute N
//   arb_texture_N                         the sampler of texture unit N
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace brokkr::capture {

struct ArbTranslation {
  std::string text;                      // in GLSL 1.20; empty if there is a problem
  std::string problem;                   // the reason why the program is not translated: "an ARB program with …"
  std::vector<int> attributes;           // numbers of its generic attributes
  std::vector<int> units;                // texture units that it reads
  int env = 0, local = 0, matrices = 0;  // lengths of the uniform arrays
};

// `source` begins with !!ARBvp1.0 or !!ARBfp1.0. The driver has accepted it, so the translator reports only what it
// does not know, and does not check the program's rules.
ArbTranslation translate_arb_program(std::string_view source);

}  // namespace brokkr::capture
