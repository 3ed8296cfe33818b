// Formats of render targets, as frame files name them.
#pragma once

#include <optional>

#include "brokkr/programs.h"
#include "capture/lookup.h"

namespace brokkr::capture {

// A colour's format and channels for OpenGL's internal format; unsupported sizes become the next larger one.
TargetColor color_format(GLint internal);

// Empty for formats without such a plane.
std::optional<TexelFormat> depth_format(GLint internal);
std::optional<TexelFormat> stencil_format(GLint internal);

// The four-channel format in which a colour's format can be read back without loss, and OpenGL's constants for it.
struct ReadFormat {
  TexelFormat format;
  GLenum channels, type;
  size_t bytes;  // per pixel
};
ReadFormat read_format(TexelFormat format);

}  // namespace brokkr::capture
