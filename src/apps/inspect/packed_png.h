// Pictures of captured frames in fewer bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "brokkr/image.h"

namespace brokkr {

// Encodes a picture as PNG with 8 bits for each of red, green and blue: each row has the filter whose differences have
// the smallest sum, and zlib compresses with its highest level. `image`: at least one pixel, rows from bottom to top;
// its alpha is left out. Throws std::runtime_error if memory ends.
std::vector<uint8_t> packed_png(const Image& image);

// The same picture in fewer bytes. Returns `file` itself if it is no PNG, has an alpha below 255, or would not shrink.
std::vector<uint8_t> packed_png(const std::vector<uint8_t>& file);

// The same picture in the form that takes the fewest bytes in a frame file of version 4: packed_png, or a PNG that is
// not compressed and whose rows the file's filters predict. Returns `file` itself where packed_png does.
std::vector<uint8_t> png_for_filters(const std::vector<uint8_t>& file);

}  // namespace brokkr
