// The layer's GLSL program for the assembly programs that are enabled (arb_program.h). The recorder treats it as a
// program of the application.
#pragma once

#include <string>

#include "capture/arb_program.h"
#include "capture/context.h"

namespace brokkr::capture {

// A pair of assembly programs, translated and linked.
struct ArbProgram {
  GLuint program = 0;
  ArbTranslation vertex, fragment;  // with empty texts if not part of the pair
  bool is_rejected = false;         // the driver has rejected one of them, so draws are errors and draw nothing
};

// The assembly programs that this draw runs. `vertex` and `fragment`: which of them no GLSL program replaces. `problem`
// of either translation says why there is no text for it. The values of its uniforms are the context's current
// parameters. Null if neither is enabled.
const ArbProgram* current_arb_program(Context& context, bool vertex, bool fragment);

// Deletes the programs of this context.
void delete_arb_programs(Context& context);

}  // namespace brokkr::capture
