// Where the words of a program are among what a captured frame holds, by the names that OpenGL gives them.
#pragma once

#include <optional>
#include <string>

#include "shader/captured.h"

namespace brokkr::shader {

// Fills in `to` all but program, code and failure, from its program and what the frame says of it. Words that the
// program does not read, or that a driver found to be without effect, need no place. Returns what is missing: "the
// frame holds no uniform 'tint'".
std::optional<std::string> find_places(const FragmentProgram& frame, CapturedProgram& to);

}  // namespace brokkr::shader
