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
// is_unorm: the format's numbers lie in 0..1. is_snorm: they lie in -1..1.
bool is_unorm(TexelFormat format);
bool is_snorm(TexelFormat format);

// Decodes `depth` pictures of `width` x `height` texels into the format's encoding. `data` has level_bytes
// (brokkr/programs.h).
void decode_texels(TexelFormat format, const std::byte* data, int width, int height, int depth, uint32_t* words);

// Decodes texels of block-compressed formats, bc1 to bc7 (Khronos Data Format Specification 1.3, chapters 18 to 20).
// Any bits are a valid block. Reads nothing outside the block.

// The contract is that of decode_texels (shader/texels.h). Channels have 8 bits; bc6h gives half floats, and bc4_snorm
// and bc5_snorm give floats.
void decode_blocks(TexelFormat format, const std::byte* data, int width, int height, int depth, uint32_t* words);

// The 16 texels of a block, row by row.
using BytesOfBlock = std::array<std::array<uint8_t, 4>, 16>;    // red, green, blue, alpha
using HalvesOfBlock = std::array<std::array<uint16_t, 3>, 16>;  // red, green, blue
BytesOfBlock decode_bc7(const std::byte* block);
HalvesOfBlock decode_bc6h(const std::byte* block, bool is_signed);

}  // namespace brokkr::shader
