// Finds the commands that contribute to a target's picture.
#pragma once

#include <cstdint>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr {

// By number, whether each of the first `end` commands may affect the planes of `target`, either after the last of them
// or at the frame's references of the target. Planes are tracked as a whole; a plane's content before a full clear does
// not count. The frame must be valid, and `end` at most the number of its commands.
std::vector<bool> contributing_commands(const Frame& frame, uint32_t target, uint32_t end);

}  // namespace brokkr
