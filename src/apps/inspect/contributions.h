// Which commands of a frame a target's picture is made of.
#pragma once

#include <cstdint>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr {

// Of the first `end` commands, by number, those that the planes of `target` may depend on: behind the last of them, and
// where the frame's references of the target were taken. Planes are looked at as a whole; what a plane held before a
// clear of all of it does not count. The frame is valid, `end` at most the number of its commands.
std::vector<bool> contributing_commands(const Frame& frame, uint32_t target, uint32_t end);

}  // namespace brokkr
