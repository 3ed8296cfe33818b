// Textures as the kernel samples them.
#pragma once

#include <vector>

#include "brokkr/frame.h"
#include "scene/frame_tables.h"

namespace brokkr {

// Appends the texture's mip chain to `texels`: one word per texel, red in the lowest byte. Levels are box-filtered in
// linear light. Of sRGB textures red, green and blue are the square root of linear light: as fine in the dark as sRGB's
// curve, within one step of it everywhere, and undone by one multiplication.
TextureRecord append_mip_chain(const Texture& texture, std::vector<uint32_t>& texels);

}  // namespace brokkr
