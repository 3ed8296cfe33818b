// A captured frame of one triangle that a random shader draws over the whole target.
#pragma once

#include <cstdint>

#include "brokkr/frame.h"

namespace brokkr::shader::test {

// 24 x 16 pixels; valid. Throws ShaderError where the front end refuses the text.
Frame random_frame(uint64_t seed);

}  // namespace brokkr::shader::test
