#include "inspect/packed_png.h"

#include <zlib.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "frame/bkf_container.h"
#include "frame/plain_png.h"

namespace brokkr {
namespace {

constexpr int kChannels = 3;
constexpr int kLevel = 19;  // of zstd, as trimmed files are compressed
constexpr std::array<uint8_t, 8> kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

using Bytes = std::vector<uint8_t>;

void append_number(Bytes& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(uint8_t(value >> shift));
}

void append_chunk(Bytes& out, std::string_view kind, std::span<const uint8_t> content) {
  append_number(out, uint32_t(content.size()));
  const size_t begin = out.size();
  out.insert(out.end(), kind.begin(), kind.end());
  out.insert(out.end(), content.begin(), content.end());
  append_number(out, uint32_t(crc32(0, &out[begin], uInt(out.size() - begin))));
}

int paeth(int left, int above, int corner) {
  const int guess = left + above - corner;
  const int by_left = std::abs(guess - left), by_above = std::abs(guess - above), by_corner = std::abs(guess - corner);
  if (by_left <= by_above && by_left <= by_corner) return left;
  return by_above <= by_corner ? above : corner;
}

// A value that PNG's filter (0 to 4) predicts from three neighbours.
int predicted(int filter, int left, int above, int corner) {
  switch (filter) {
    case 1: return left;
    case 2: return above;
    case 3: return (left + above) / 2;
    case 4: return paeth(left, above, corner);
    default: return 0;
  }
}

// Appends the filter's number and the row's differences, for the filter with the smallest sum of differences.
void append_row(Bytes& out, const Bytes& row, const Bytes& above) {
  Bytes best, tried(row.size());
  uint64_t least = std::numeric_limits<uint64_t>::max();
  int chosen = 0;
  for (int filter = 0; filter <= 4; ++filter) {
    uint64_t sum = 0;
    for (size_t i = 0; i < row.size(); ++i) {
      const int left = i < kChannels ? 0 : row[i - kChannels], corner = i < kChannels ? 0 : above[i - kChannels];
      tried[i] = uint8_t(row[i] - predicted(filter, left, above[i], corner));
      sum += uint64_t(std::abs(int(int8_t(tried[i]))));
    }
    if (sum >= least) continue;
    least = sum, chosen = filter, best = tried;
  }
  out.push_back(uint8_t(chosen));
  out.insert(out.end(), best.begin(), best.end());
}

Bytes filtered_rows(const Image& image) {
  const auto width = size_t(image.width);
  Bytes rows, row(width * kChannels), above(width * kChannels, 0);
  for (size_t y = size_t(image.height); y-- > 0;) {
    for (size_t i = 0; i < row.size(); ++i)
      row[i] = uint8_t(image.texels[y * width + i / kChannels] >> (8 * (i % kChannels)));
    append_row(rows, row, above);
    above = row;
  }
  return rows;
}

Bytes png_of(const Image& image, std::span<const uint8_t> data) {
  Bytes header;
  append_number(header, uint32_t(image.width));
  append_number(header, uint32_t(image.height));
  header.insert(header.end(), {8, 2, 0, 0, 0});  // bits, red green blue, deflate, filters for each row, not interlaced
  Bytes file(kSignature.begin(), kSignature.end());
  append_chunk(file, "IHDR", header);
  append_chunk(file, "IDAT", data);
  append_chunk(file, "IEND", {});
  return file;
}

// A PNG whose every row is a stored block (bkf::filter_of_plain_png).
Bytes plain_png(const Image& image) {
  const auto width = size_t(image.width), row_bytes = 1 + width * kChannels;
  Bytes data = {0x78, 0x01}, row(row_bytes);  // zlib's header: deflate, fastest
  uLong sum = adler32(0, nullptr, 0);
  for (size_t y = size_t(image.height); y-- > 0;) {
    for (size_t i = 0; i + 1 < row_bytes; ++i)
      row[i + 1] = uint8_t(image.texels[y * width + i / kChannels] >> (8 * (i % kChannels)));
    const auto length = uint16_t(row_bytes), complement = uint16_t(~length);
    const auto last = uint8_t(y == 0);
    data.insert(data.end(),
                {last, uint8_t(length), uint8_t(length >> 8), uint8_t(complement), uint8_t(complement >> 8)});
    data.insert(data.end(), row.begin(), row.end());
    sum = adler32(sum, row.data(), uInt(row_bytes));
  }
  append_number(data, uint32_t(sum));
  return png_of(image, data);
}

// Returns true if the file is a PNG, which may have an alpha.
bool is_png(const Bytes& file) {
  return file.size() >= kSignature.size() && std::memcmp(file.data(), kSignature.data(), kSignature.size()) == 0;
}

// The bytes that zstd needs for the rows of a plain PNG after their filter.
size_t filtered_size(const bkf::Filter& filter, const Bytes& file) {
  const auto rows = std::as_bytes(std::span(file)).subspan(size_t(filter.offset), size_t(filter.bytes()));
  std::vector<std::byte> filtered(rows.size());
  bkf::apply_filter(filter, rows, filtered);
  return bkf::packed_size(filtered, kLevel);
}

}  // namespace

Bytes packed_png(const Image& image) {
  const Bytes rows = filtered_rows(image);
  uLongf size = compressBound(uLong(rows.size()));
  Bytes packed(size);
  if (compress2(packed.data(), &size, rows.data(), uLong(rows.size()), Z_BEST_COMPRESSION) != Z_OK)
    throw std::runtime_error("a picture cannot be compressed: there is not enough memory");
  packed.resize(size);
  return png_of(image, packed);
}

Bytes packed_png(const Bytes& file) {
  if (!is_png(file)) return file;
  const Image image = read_image(std::as_bytes(std::span(file)), "picture of the game");
  if (image.has_alpha) return file;
  Bytes packed = packed_png(image);
  return packed.size() < file.size() ? packed : file;
}

Bytes png_for_filters(const Bytes& file) {
  Bytes packed = packed_png(file);
  if (!is_png(file)) return packed;
  const Image image = read_image(std::as_bytes(std::span(file)), "picture of the game");
  if (image.has_alpha) return packed;
  Bytes plain = plain_png(image);
  const std::optional<bkf::Filter> filter = bkf::filter_of_plain_png(plain);
  const bool may_filter = filter && filter->bytes() >= bkf::kLeastFiltered;
  return may_filter && filtered_size(*filter, plain) < packed.size() ? plain : packed;
}

}  // namespace brokkr
