// Renders a captured frame at another size than it was captured at.
#pragma once

#include "brokkr/frame.h"

namespace brokkr::app {

// Scales every target, viewport, scissor, clear and blit of `frame` so that `target` becomes `width` x `height` pixels.
// Clip-space positions need no change. References no longer fit and are dropped. Sizes are at least 1; throws
// std::invalid_argument where a target would exceed the limits of frame.h.
void resize_frame(Frame& frame, uint32_t target, int width, int height);

}  // namespace brokkr::app
