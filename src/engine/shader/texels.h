// Converts the texel formats of captured textures (brokkr/programs.h) to the encodings that lanes read
// (frame/texture_tables.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "brokkr/programs.h"
#include "frame/texture_tables.h"

namespace brokkr::shader {

// The encoding of a format. sRGB colours are srgb8 if `decodes_srgb`.
TexelEncoding encoding_of(TexelFormat format, bool decodes_srgb);
// The integer type of the format, or SampledType::real.
SampledType type_of(TexelFormat format);
// Whether the format's numbers lie in 0..1 (unorm) or -1..1 (snorm).
bool is_unorm(TexelFormat format);
bool is_snorm(TexelFormat format);

// Decodes `depth` pictures of `width` x `height` texels, level_bytes (brokkr/programs.h) at `data`, into the format's
// encoding.
void decode_texels(TexelFormat format, const std::byte* data, int width, int height, int depth, uint32_t* words);

}  // namespace brokkr::shader
