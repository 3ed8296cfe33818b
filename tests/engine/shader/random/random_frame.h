// A captured frame that a random shader draws, under random states: a triangle over the whole target, and up to two
// more.
#pragma once

#include <cstdint>

#include "brokkr/frame.h"

namespace brokkr::shader::test {

// 24 x 16 pixels; valid. Throws ShaderError where the front end refuses the text.
Frame random_frame(uint64_t seed);

}  // namespace brokkr::shader::test
