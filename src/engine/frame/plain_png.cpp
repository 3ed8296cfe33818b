#include "frame/plain_png.h"

#include <array>
#include <cstring>
#include <string_view>

namespace brokkr::bkf {
namespace {

constexpr size_t kSizeBegins = 16, kBitsBegin = 24, kDataBegins = 37;
constexpr std::array<uint8_t, 8> kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr std::array<uint8_t, 5> kBits = {8, 2, 0, 0, 0};  // bits, red green blue, deflate, filters by row, all rows

uint64_t number_at(std::span<const uint8_t> file, size_t offset) {
  uint64_t value = 0;
  for (size_t i = 0; i < 4; i++) value = value << 8 | file[offset + i];
  return value;
}

bool has_at(std::span<const uint8_t> file, size_t offset, std::span<const uint8_t> expected) {
  return std::memcmp(&file[offset], expected.data(), expected.size()) == 0;
}

}  // namespace

std::optional<Filter> filter_of_plain_png(std::span<const uint8_t> file) {
  constexpr std::string_view kData = "IDAT";
  if (file.size() < kPlainRowsBegin || !has_at(file, 0, kSignature) || !has_at(file, kBitsBegin, kBits) ||
      std::memcmp(&file[kDataBegins], kData.data(), kData.size()) != 0)
    return std::nullopt;
  const uint64_t width = number_at(file, kSizeBegins), height = number_at(file, kSizeBegins + 4);
  const uint64_t stored = 1 + kPlainChannels * width;  // bytes of a block: PNG's filter, and the pixels
  if (width == 0 || height == 0 || stored > kMaxStoredBytes) return std::nullopt;
  const Filter filter{
      .offset = kPlainRowsBegin, .width = width + kPlainHeaderTexels, .height = height, .channels = kPlainChannels};
  if (height > file.size() || filter.bytes() > file.size() - kPlainRowsBegin) return std::nullopt;
  for (uint64_t y = 0; y < height; y++) {
    const uint8_t* const row = &file[size_t(filter.offset + y * filter.width * kPlainChannels)];
    const uint64_t length = uint64_t(row[1] | row[2] << 8), complement = uint64_t(row[3] | row[4] << 8);
    if (row[0] > 1 || length != stored || complement != (length ^ 0xffff)) return std::nullopt;
  }
  return filter;
}

}  // namespace brokkr::bkf
