// The pictures and depths from the game's own driver that a captured frame holds (Reference in frame.h).
#pragma once

#include <cstdint>

#include "brokkr/frame.h"
#include "brokkr/image.h"

namespace brokkr {

// The latest reference of frame.targets[target] that has a picture; null if there is none.
const Reference* original_of(const Frame& frame, uint32_t target);

// The reference's picture, rows bottom to top. Throws std::runtime_error that names the frame's file if it cannot be
// decoded.
Image original_picture(const Frame& frame, const Reference& reference);

}  // namespace brokkr
