// Texels that no lookup of a frame reads.
#pragma once

#include <cstdint>

#include "brokkr/frame.h"
#include "brokkr/renderer.h"
#include "inspect/texel_watch.h"

namespace brokkr {

// Puts copies of others in place of stored texels (of compressed textures, blocks) that `watch` has not seen used, so
// that they take no room in a file. Textures keep their sizes and levels, and no texel has a value that its level did
// not have. Textures that planes are loaded from, or that share bytes, are left alone. `prepared` is made of `frame`.
// Returns the bytes of texels that remain.
uint64_t forget_unread_texels(Frame& frame, const PreparedFrame& prepared, const TexelWatch& watch);

}  // namespace brokkr
