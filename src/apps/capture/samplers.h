// How draws sample the textures that they read.
#pragma once

#include "brokkr/frame.h"
#include "capture/context.h"

namespace brokkr::capture {

// The parameters of the active unit's sampler object, or of the texture that is bound to `target` there. What a driver
// does not know keeps its default, and leaves no error.
CapturedSampler read_sampler(const Context& context, GLenum target);

}  // namespace brokkr::capture
