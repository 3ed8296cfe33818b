// Programs of OpenGL out of texts of our own.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "reference/gl_object.h"

namespace brokkr {

// A program of these stages and their texts. Throws std::runtime_error with what the driver says: `what` names the
// program.
GlProgram link_program(std::initializer_list<std::pair<GLenum, std::string>> texts, const char* what);

}  // namespace brokkr
