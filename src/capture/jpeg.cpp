#include "capture/jpeg.h"

#include <cstddef>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
// Compiled in, so that a program under capture needs no further library.
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace brokkr::capture {
namespace {

constexpr int kQuality = 88;

void append(void* context, void* data, int size) {
  auto& out = *static_cast<std::vector<uint8_t>*>(context);
  const auto* bytes = static_cast<const uint8_t*>(data);
  out.insert(out.end(), bytes, bytes + size);
}

}  // namespace

std::vector<uint8_t> encode_jpeg(int width, int height, const std::vector<uint8_t>& pixels) {
  // Rows are turned here: the encoder's flag for that is shared by all threads.
  const size_t row = static_cast<size_t>(width) * 3;
  std::vector<uint8_t> turned(pixels.size()), out;
  for (size_t y = 0; y < static_cast<size_t>(height); y++) {
    const size_t from = (static_cast<size_t>(height) - 1 - y) * row;
    for (size_t x = 0; x < row; x++) turned[y * row + x] = pixels[from + x];
  }
  if (!stbi_write_jpg_to_func(append, &out, width, height, 3, turned.data(), kQuality)) out.clear();
  return out;
}

}  // namespace brokkr::capture
