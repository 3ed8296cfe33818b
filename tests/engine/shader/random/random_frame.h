// A captured frame that draws a random shader under random states: a triangle over the whole target, and up to two
// more.
#pragma once

#include <cstdint>

#include "brokkr/frame.h"

namespace brokkr::shader::test {

// The frame has 24 x 16 pixels and is valid. Throws ShaderError if the front end refuses the text.
Frame random_frame(uint64_t seed);

}  // namespace brokkr::shader::test
