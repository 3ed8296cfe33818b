// Decodes texels of block-compressed formats, bc1 to bc7 (Khronos Data Format Specification 1.3, chapters 18 to 20).
// Any bits are a valid block; nothing outside the block is read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "brokkr/programs.h"

namespace brokkr::shader {

// Same contract as decode_texels (shader/texels.h). Channels are 8 bits; bc6h gives half floats, bc4_snorm and
// bc5_snorm give floats.
void decode_blocks(TexelFormat format, const std::byte* data, int width, int height, int depth, uint32_t* words);

// The 16 texels of a block, row by row.
using BytesOfBlock = std::array<std::array<uint8_t, 4>, 16>;    // red, green, blue, alpha
using HalvesOfBlock = std::array<std::array<uint16_t, 3>, 16>;  // red, green, blue
BytesOfBlock decode_bc7(const std::byte* block);
HalvesOfBlock decode_bc6h(const std::byte* block, bool is_signed);

}  // namespace brokkr::shader
