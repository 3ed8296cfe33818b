#include "ptx/fatbin.h"

#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace brokkr::ptx {
namespace {

struct Header {
  uint32_t magic;  // kMagic
  uint16_t version, header_bytes;
  uint64_t bytes;
};
struct Entry {
  uint16_t kind, version;  // kind 1: PTX, 2: machine code
  uint32_t header_bytes;
  uint64_t bytes;
  uint32_t compressed_bytes;
  uint32_t options_offset;
  uint16_t minor, major;
  uint32_t architecture;
  uint32_t name_offset, name_bytes;
  uint64_t flags;
  uint64_t zero;
  uint64_t text_bytes;
};
constexpr uint32_t kMagic = 0xba55ed50;
constexpr uint64_t kLz4 = 0x2000, kZstd = 0x8000;

std::string unpack_lz4(const uint8_t* from, size_t bytes, size_t text_bytes) {
  std::string text;
  text.reserve(text_bytes);
  const uint8_t* const end = from + bytes;
  const auto length = [&](uint32_t n) {
    size_t sum = n;
    if (n == 15) {
      while (from < end && *from == 255) sum += *from++;
      if (from < end) sum += *from++;
    }
    return sum;
  };
  while (from < end) {
    const uint32_t token = *from++;
    const size_t literals = length(token >> 4);
    if (literals > size_t(end - from)) break;
    text.append(reinterpret_cast<const char*>(from), literals);
    from += literals;
    if (end - from < 2) break;
    const size_t back = size_t(from[0]) | size_t(from[1]) << 8;
    from += 2;
    if (back == 0 || back > text.size()) throw std::runtime_error("compressed PTX is damaged");
    for (size_t n = length(token & 15) + 4; n > 0; --n) text.push_back(text[text.size() - back]);
  }
  return text;
}

std::string unpack(const uint8_t* from, const Entry& e) {
  if ((e.flags & (kLz4 | kZstd)) == 0) return {reinterpret_cast<const char*>(from), size_t(e.bytes)};
  if ((e.flags & kLz4) != 0) return unpack_lz4(from, e.compressed_bytes, e.text_bytes);
  std::string text(e.text_bytes, '\0');
  const size_t size = ZSTD_decompress(text.data(), text.size(), from, e.compressed_bytes);
  if (ZSTD_isError(size) != 0) throw std::runtime_error(std::string("compressed PTX: ") + ZSTD_getErrorName(size));
  text.resize(size);
  return text;
}

}  // namespace

std::string ptx_of_fatbin(const void* fatbin) {
  Header h;
  std::memcpy(&h, fatbin, sizeof h);
  if (h.magic != kMagic) throw std::runtime_error("no fat binary");
  const uint8_t* at = static_cast<const uint8_t*>(fatbin) + h.header_bytes;
  const uint8_t* const end = at + h.bytes;
  const uint8_t* best = nullptr;
  Entry chosen{};
  while (at + sizeof(Entry) <= end) {
    Entry e;
    std::memcpy(&e, at, sizeof e);
    if (e.kind == 1 && (best == nullptr || e.architecture > chosen.architecture)) {
      best = at + e.header_bytes;
      chosen = e;
    }
    at += e.header_bytes + e.bytes;
  }
  if (best == nullptr)
    throw std::runtime_error("the program holds no PTX: compile it with -gencode arch=compute_90,code=compute_90");
  std::string text = unpack(best, chosen);
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

}  // namespace brokkr::ptx
