// A draw's state as OpenGL calls.
#pragma once

#include <glad/gl.h>

#include "brokkr/frame.h"

namespace brokkr {

void enable(GLenum capability, bool on);

// Sets everything that `state` and the convention flags of a draw (DrawFlag) say, whatever was set before. What only
// captured programs see is left to apply_program_state.
void apply_state(const State& state, uint32_t flags);

// After apply_state, in a compatibility context: blending and masks of each draw buffer, alpha test, sRGB encoding,
// flat shading, points and lines.
void apply_program_state(const State& state);

}  // namespace brokkr
