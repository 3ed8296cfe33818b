// Links OpenGL programs from our own texts.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "reference/gl_object.h"

namespace brokkr {

// A program from these stages and their texts. Throws std::runtime_error with the driver's message; `what` names the
// program.
GlProgram link_program(std::initializer_list<std::pair<GLenum, std::string>> texts, const char* what);

}  // namespace brokkr
