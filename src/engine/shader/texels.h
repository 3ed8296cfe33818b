// Converts the texel formats of captured textures (brokkr/programs.h) to the encodings that lanes read
// (frame/texture_tables.h).
#pragma once

#include <array>
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

// Decodes texels of block-compressed formats, bc1 to bc7 (Khronos Data Format Specification 1.3, chapters 18 to 20).
// Any bits are a valid block; nothing outside the block is read.

// Same contract as decode_texels (shader/texels.h). Channels are 8 bits; bc6h gives half floats, bc4_snorm and
// bc5_snorm give floats.
void decode_blocks(TexelFormat format, const std::byte* data, int width, int height, int depth, uint32_t* words);

// The 16 texels of a block, row by row.
using BytesOfBlock = std::array<std::array<uint8_t, 4>, 16>;    // red, green, blue, alpha
using HalvesOfBlock = std::array<std::array<uint16_t, 3>, 16>;  // red, green, blue
BytesOfBlock decode_bc7(const std::byte* block);
HalvesOfBlock decode_bc6h(const std::byte* block, bool is_signed);

}  // namespace brokkr::shader
