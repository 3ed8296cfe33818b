// Formats of images that are drawn to, as frame files name them.
#pragma once

#include <optional>

#include "brokkr/programs.h"
#include "capture/lookup.h"

namespace brokkr::capture {

// A colour's format and channels by OpenGL's internal format; formats of other sizes go by the next larger one.
TargetColor color_format(GLint internal);

// Nothing for formats without such a plane.
std::optional<TexelFormat> depth_format(GLint internal);
std::optional<TexelFormat> stencil_format(GLint internal);

// Whether values beyond 0 and 1 can be stored.
bool is_float_format(TexelFormat format);

}  // namespace brokkr::capture
