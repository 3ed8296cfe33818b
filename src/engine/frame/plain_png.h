// PNG files that are not compressed. A frame file of version 4 holds its pictures in this form, since its filter of
// texels and zstd together need fewer bytes than PNG's own compression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "frame/bkf_filters.h"

namespace brokkr::bkf {

// The bytes before the pixels of a row of a plain PNG: the header of a stored block of deflate, and the number of PNG's
// filter. They take as many bytes as two texels, so that the pixels of all rows lie below each other.
constexpr size_t kPlainRowHeader = 6, kPlainChannels = 3, kPlainHeaderTexels = kPlainRowHeader / kPlainChannels;
constexpr size_t kPlainRowsBegin = 43;     // signature, IHDR, length and name of IDAT, header of zlib
constexpr size_t kMaxStoredBytes = 65535;  // of a block

// The filter of all rows of `file`, whose `offset` is relative to its first byte. Returns nothing if the file is no
// plain PNG: one with 8 bits for each of red, green and blue, and one stored block for each row.
std::optional<Filter> filter_of_plain_png(std::span<const uint8_t> file);

}  // namespace brokkr::bkf
