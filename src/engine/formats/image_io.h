// Pictures for readers of scenes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/loading.h"
#include "brokkr/image.h"

namespace brokkr {

inline constexpr bool kHasWebp =
#ifdef BROKKR_HAVE_WEBP
    true;
#else
    false;
#endif

// Does the work of read_image (brokkr/image.h) within the memory that `loading` has left. A picture that is too large
// according to its header is refused before it is decoded.
Image read_image(std::span<const std::byte> file, std::string_view name, uint64_t max_pixels, Loading& loading);

}  // namespace brokkr
