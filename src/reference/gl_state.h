// A draw's fixed-function state in OpenGL's terms.
#pragma once

#include <cstdint>

#include "brokkr/frame.h"

namespace brokkr {

// Sets everything that `state` and the convention flags of a draw (DrawFlag) say, whatever was set before.
void apply_state(const State& state, uint32_t flags);

// Disables everything that masks or clips a clear or a blit, but `scissor`, where that is not null.
void apply_unmasked_state(const Rect* scissor);

}  // namespace brokkr
