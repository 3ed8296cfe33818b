// Textures as the reference samples them.
#pragma once

#include "brokkr/frame.h"
#include "reference/gl_object.h"

namespace brokkr {

// All levels of `source`, sampled as its sampler says. OpenGL leaves it to the driver how glGenerateTextureMipmap
// filters (OpenGL 4.5, 8.14.4), so the levels are made here: each texel is the mean, in linear light, of the texels of
// the level before that it covers.
//
// Drivers filter textures of 8-bit linear channels in 8 bits. With `exact`, those channels are stored in 16 bits, which
// are filtered in floating point.
GlTexture upload_texture(const Texture& source, bool exact);

}  // namespace brokkr
