// Finds where a captured frame stores the words of a program, by their OpenGL names.
#pragma once

#include <optional>
#include <string>

#include "shader/captured.h"

namespace brokkr::shader {

// Fills `to`, except program, code and failure, from its program and the frame's description of it. Words that the
// program does not read, or that a driver found unused, need no place. Returns an error for a missing word: "the frame
// holds no uniform 'tint'".
std::optional<std::string> find_places(const FragmentProgram& frame, CapturedProgram& to);

}  // namespace brokkr::shader
