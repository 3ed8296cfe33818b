// What a captured frame holds of the game's own driver: pictures and depths of its targets [frame.h, Reference].
#pragma once

#include <cstdint>

#include "brokkr/frame.h"
#include "brokkr/image.h"

namespace brokkr {

// The latest reference of frame.targets[target] that has a picture. Null where there is none.
const Reference* original_of(const Frame& frame, uint32_t target);

// Its picture, rows bottom to top. Throws std::runtime_error naming the frame's file where it cannot be decoded.
Image original_picture(const Frame& frame, const Reference& reference);

}  // namespace brokkr
