// Texel formats of captured textures (brokkr/programs.h) as the encodings that lanes read (frame/texture_tables.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "brokkr/programs.h"
#include "frame/texture_tables.h"

namespace brokkr::shader {

// How the texels of a format are encoded; colours of sRGB as srgb8 where they are to be decoded.
TexelEncoding encoding_of(TexelFormat format, bool decodes_srgb);
// Integers that the format has, or SampledType::real.
SampledType type_of(TexelFormat format);
// Whether its numbers are of 0 .. 1, and of -1 .. 1.
bool is_unorm(TexelFormat format);
bool is_snorm(TexelFormat format);

// Decodes `depth` pictures of `width` x `height` texels, level_bytes (brokkr/programs.h) from `data` on, into as many
// texels of the format's encoding.
void decode_texels(TexelFormat format, const std::byte* data, int width, int height, int depth, uint32_t* words);

}  // namespace brokkr::shader
