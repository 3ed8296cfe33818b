// Renders a captured frame at a different size.
#pragma once

#include "brokkr/frame.h"

namespace brokkr::app {

// Scales every target, viewport, scissor, clear and blit of `frame` so that `target` becomes `width` x `height` pixels.
// Clip-space positions need no change. Drops the references, which no longer fit. Sizes are at least 1. Throws
// std::invalid_argument if a target would exceed the limits of frame.h.
void resize_frame(Frame& frame, uint32_t target, int width, int height);

}  // namespace brokkr::app
