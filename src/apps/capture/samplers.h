// How draws sample their textures.
#pragma once

#include "brokkr/frame.h"
#include "capture/context.h"

namespace brokkr::capture {

// The parameters of the active unit's sampler object or, without one, of the texture bound to `target` there.
// Parameters that a driver does not know keep their default, and leave no error.
CapturedSampler read_sampler(const Context& context, GLenum target);

}  // namespace brokkr::capture
