// Extent of a texture level or renderbuffer.
#pragma once

#include "capture/targets.h"

namespace brokkr::capture {

struct ImageSize {
  int width = 0, height = 0;  // 0 where the driver does not say
  GLint samples = 0;
  GLenum target = GL_NONE;  // of a texture: GL_TEXTURE_2D, …
};

ImageSize image_size(const Context& context, const Image& image);

}  // namespace brokkr::capture
