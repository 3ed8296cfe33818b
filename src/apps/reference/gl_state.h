// A draw's state as OpenGL calls.
#pragma once

#include <glad/gl.h>

#include "brokkr/frame.h"

namespace brokkr {

void enable(GLenum capability, bool on);

// Sets all of `state` and of a draw's convention flags (DrawFlag), whatever was set before, except the state that only
// captured programs use (apply_program_state).
void apply_state(const State& state, uint32_t flags);

// Call after apply_state, in a compatibility context: sets blending and masks of each draw buffer, alpha test, sRGB
// encoding, flat shading, points and lines.
void apply_program_state(const State& state);

}  // namespace brokkr
