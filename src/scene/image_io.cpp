#include "brokkr/image.h"

#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <stdexcept>

#include "brokkr/frame.h"
#include "scene/failure.h"
#include "scene/file_io.h"

namespace brokkr {
namespace {

constexpr uint64_t kMaxImageFile = uint64_t(1) << 30;

// stb_image also reads formats that no scene uses and whose decoders have a history of reading beyond their input.
// Files of these formats are refused by their first bytes.
bool is_unsupported(std::span<const std::byte> file) {
  static constexpr std::string_view kMagics[] = {"GIF8", "8BPS", "#?", "\x53\x80\xf6\x34", "P5", "P6"};
  return std::any_of(std::begin(kMagics), std::end(kMagics),
                     [&](std::string_view magic) { return as_text(file).starts_with(magic); });
}

// stb_image reserves what a PNG chunk's length field says before it reads the chunk: no chunk may be longer than the
// file.
bool has_whole_png_chunks(std::span<const std::byte> file) {
  constexpr size_t kSignature = 8, kLengthAndType = 8, kChecksum = 4;
  if (!as_text(file).starts_with("\x89PNG")) return true;
  for (size_t at = kSignature; at + kLengthAndType <= file.size();) {
    uint64_t length = 0;
    for (size_t i = 0; i < 4; i++) length = length << 8 | uint64_t(file[at + i]);
    if (length + kLengthAndType + kChecksum > file.size() - at) return false;
    const bool is_last = file[at + 4] == std::byte('I') && file[at + 5] == std::byte('E');  // IEND
    if (is_last) break;
    at += size_t(length) + kLengthAndType + kChecksum;
  }
  return true;
}

void append_bytes(void* context, void* data, int size) {
  auto& out = *static_cast<std::vector<std::byte>*>(context);
  const auto* begin = static_cast<const std::byte*>(data);
  out.insert(out.end(), begin, begin + size);
}

}  // namespace

void write_png(const std::filesystem::path& path, int width, int height, std::span<const uint32_t> pixels,
               bool opaque) {
  if (width < 1 || height < 1 || width > kMaxTargetSize || height > kMaxTargetSize ||
      pixels.size() != size_t(width) * size_t(height)) {
    throw std::invalid_argument("PNG: pixels are not width * height");
  }
  const int channels = opaque ? 3 : 4;
  const size_t row_bytes = size_t(width) * size_t(channels);
  std::vector<uint8_t> rows(row_bytes * size_t(height));
  for (int y = 0; y < height; y++) {
    uint8_t* out = &rows[size_t(height - 1 - y) * row_bytes];
    for (int x = 0; x < width; x++) {
      const uint32_t pixel = pixels[size_t(y) * size_t(width) + size_t(x)];
      for (int c = 0; c < channels; c++) *out++ = uint8_t(pixel >> (8 * c));
    }
  }
  std::vector<std::byte> file;
  if (!stbi_write_png_to_func(append_bytes, &file, width, height, channels, rows.data(), int(row_bytes)))
    fail("{}: cannot be encoded as PNG; use a smaller picture", path.string());
  write_file(path, file);
}

Image read_image(std::span<const std::byte> file, std::string_view name, uint64_t max_pixels) {
  const char* const kFormats = "use PNG, JPEG, BMP or TGA";
  if (file.empty() || file.size() > size_t(INT_MAX)) fail("{}: is empty or larger than 2 GiB; {}", name, kFormats);
  if (is_unsupported(file)) fail("{}: has a picture format that is not supported; {}", name, kFormats);
  if (!has_whole_png_chunks(file)) fail("{}: is a PNG file that is cut short; save the picture again", name);
  const auto* bytes = reinterpret_cast<const stbi_uc*>(file.data());
  int width = 0, height = 0, channels = 0;
  if (!stbi_info_from_memory(bytes, int(file.size()), &width, &height, &channels)) {
    fail("{}: is no picture ({}); {}", name, stbi_failure_reason(), kFormats);
  }
  if (width < 1 || height < 1 || width > kMaxTargetSize || height > kMaxTargetSize ||
      uint64_t(width) * uint64_t(height) > max_pixels) {
    fail("{}: has {} x {} pixels, above the limits; scale it to at most {} a side and {} in all", name, width, height,
         kMaxTargetSize, max_pixels);
  }
  const std::unique_ptr<stbi_uc, void (*)(void*)> decoded(
      stbi_load_from_memory(bytes, int(file.size()), &width, &height, &channels, 4), stbi_image_free);
  if (!decoded) fail("{}: cannot be decoded ({}); save the picture again", name, stbi_failure_reason());
  Image image;
  image.width = width;
  image.height = height;
  image.texels.resize(size_t(width) * size_t(height));
  for (int y = 0; y < height; y++) {
    const stbi_uc* in = decoded.get() + size_t(height - 1 - y) * size_t(width) * 4;
    uint32_t* out = &image.texels[size_t(y) * size_t(width)];
    for (int x = 0; x < width; x++, in += 4) {
      out[x] = uint32_t(in[0]) | uint32_t(in[1]) << 8 | uint32_t(in[2]) << 16 | uint32_t(in[3]) << 24;
      image.has_alpha |= in[3] != 255;
    }
  }
  return image;
}

Image read_image(const std::filesystem::path& path, uint64_t max_pixels) {
  return read_image(read_file(path, kMaxImageFile), path.string(), max_pixels);
}

}  // namespace brokkr
