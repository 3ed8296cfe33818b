// Removes texels that no lookup of a frame reads.
#pragma once

#include <cstdint>

#include "brokkr/frame.h"
#include "brokkr/renderer.h"
#include "inspect/texel_watch.h"

namespace brokkr {

// Replaces stored texels (for compressed textures, blocks) that `watch` has not seen used by copies of others, so that
// they compress to nothing in a file. Textures keep their sizes and levels, and no texel gets a value that its level
// did not have. Textures that planes are loaded from, or that share bytes, are unchanged. `prepared` must be made from
// `frame`. Returns the bytes of the remaining texels.
uint64_t forget_unread_texels(Frame& frame, const PreparedFrame& prepared, const TexelWatch& watch);

}  // namespace brokkr
