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

// The format of four channels in which all of a colour's format can be read back, and how OpenGL is asked for it.
struct ReadFormat {
  TexelFormat format;
  GLenum channels, type;
  size_t bytes;  // of a pixel
};
ReadFormat read_format(TexelFormat format);

}  // namespace brokkr::capture
