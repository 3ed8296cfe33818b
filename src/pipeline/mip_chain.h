// Textures as the kernel samples them.
#pragma once

#include <vector>

#include "scene/frame.h"
#include "scene/frame_tables.h"

namespace brokkr {

// Appends the texture's mip chain to `texels`: linear light, four unorm16 channels in two words per texel.
// Levels are box-filtered.
TextureRecord append_mip_chain(const Texture& texture, std::vector<uint32_t>& texels);

}  // namespace brokkr
