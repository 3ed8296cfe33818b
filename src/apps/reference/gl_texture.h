// Textures as the reference samples them.
#pragma once

#include "brokkr/frame.h"
#include "reference/gl_object.h"

namespace brokkr {

// All levels of `source` with its sampler. OpenGL does not define the filter of glGenerateTextureMipmap (OpenGL 4.5,
// 8.14.4), so the levels are computed here: each texel is the mean, in linear light, of the texels that it covers in
// the previous level.
//
// Drivers filter 8-bit linear channels in 8 bits. With `exact`, those channels are stored in 16 bits, which drivers
// filter in floating point.
GlTexture upload_texture(const Texture& source, bool exact);

}  // namespace brokkr
