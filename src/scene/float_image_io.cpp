// OpenEXR (tinyexr) and portable float maps.
#include <tinyexr.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "brokkr/frame.h"
#include "brokkr/image.h"
#include "scene/failure.h"
#include "scene/file_io.h"

namespace brokkr {
namespace {

constexpr uint64_t kMaxFloatFile = uint64_t(4) << 30;

void check_pixels(const char* function, int width, int height, int channels, size_t values) {
  if (width < 1 || height < 1 || width > kMaxTargetSize || height > kMaxTargetSize ||
      values != size_t(width) * size_t(height) * size_t(channels)) {
    throw std::invalid_argument(fmt::format("{}: pixels are not width * height * channels", function));
  }
}

}  // namespace

void write_exr(const std::filesystem::path& path, int width, int height, int channels, std::span<const float> pixels) {
  if (channels != 1 && channels != 3 && channels != 4) throw std::invalid_argument("write_exr: channels");
  check_pixels("write_exr", width, height, channels, pixels.size());

  // The format stores planes, named in alphabetical order, top row first.
  const char* const names = channels == 1 ? "Y" : channels == 3 ? "BGR" : "ABGR";
  const size_t plane_size = size_t(width) * size_t(height);
  std::vector<float> planes(pixels.size());
  std::array<unsigned char*, 4> images{};
  std::array<EXRChannelInfo, 4> infos{};
  std::array<int, 4> types{};
  for (int plane = 0; plane < channels; plane++) {
    const int source = channels == 1 ? 0 : int(std::string_view("RGBA").find(names[plane]));
    float* out = planes.data() + size_t(plane) * plane_size;
    for (int y = height - 1; y >= 0; y--) {
      const float* in = &pixels[size_t(y) * size_t(width) * size_t(channels)];
      for (int x = 0; x < width; x++) *out++ = in[x * channels + source];
    }
    images[size_t(plane)] = reinterpret_cast<unsigned char*>(planes.data() + size_t(plane) * plane_size);
    infos[size_t(plane)].name[0] = names[plane];
    types[size_t(plane)] = TINYEXR_PIXELTYPE_FLOAT;
  }
  EXRHeader header;
  InitEXRHeader(&header);
  header.num_channels = channels;
  header.channels = infos.data();
  header.pixel_types = types.data();
  header.requested_pixel_types = types.data();
  // ZIP works on blocks of 16 rows, which tinyexr wants whole.
  header.compression_type = height < 16 ? TINYEXR_COMPRESSIONTYPE_NONE : TINYEXR_COMPRESSIONTYPE_ZIP;
  EXRImage image;
  InitEXRImage(&image);
  image.num_channels = channels;
  image.images = images.data();
  image.width = width;
  image.height = height;

  unsigned char* memory = nullptr;
  const char* error = nullptr;
  const size_t size = SaveEXRImageToMemory(&image, &header, &memory, &error);
  const std::unique_ptr<unsigned char, void (*)(void*)> owner(memory, std::free);
  if (size == 0) {
    const std::string reason = error != nullptr ? error : "unknown reason";
    if (error != nullptr) FreeEXRErrorMessage(error);
    fail("{}: cannot be encoded as EXR ({}); write .pfm instead", path.string(), reason);
  }
  write_file(path, std::span(reinterpret_cast<const std::byte*>(memory), size));
}

void write_pfm(const std::filesystem::path& path, int width, int height, int channels, std::span<const float> pixels) {
  if (channels != 1 && channels != 3) throw std::invalid_argument("write_pfm: channels");
  check_pixels("write_pfm", width, height, channels, pixels.size());
  static_assert(std::endian::native == std::endian::little);
  std::string file = fmt::format("{}\n{} {}\n-1.0\n", channels == 1 ? "Pf" : "PF", width, height);
  file.append(reinterpret_cast<const char*>(pixels.data()), pixels.size_bytes());
  write_text(path, file);
}

FloatImage read_pfm(std::span<const std::byte> file, std::string_view name) {
  constexpr size_t kMostHeader = 256;
  std::istringstream header{std::string(as_text(file.first(std::min(file.size(), kMostHeader))))};
  std::string magic;
  FloatImage image;
  double scale = 0;
  header >> magic >> image.width >> image.height >> scale;
  if (magic != "Pf" && magic != "PF") fail("{}: is no portable float map; name a .pfm file", name);
  image.channels = magic == "Pf" ? 1 : 3;
  const bool has_size =
      std::min(image.width, image.height) >= 1 && std::max(image.width, image.height) <= kMaxTargetSize;
  if (!header || !has_size || scale == 0 || !std::isfinite(scale)) {
    fail("{}: has a header with an unusable size or scale; write the file again", name);
  }
  const uint64_t count = uint64_t(image.width) * uint64_t(image.height) * uint64_t(image.channels);
  size_t position = size_t(header.tellg()) + 1;  // behind the header stands one white-space character
  if (position > file.size() || file.size() - position != count * sizeof(float)) {
    fail("{}: does not hold width * height values; write the file again", name);
  }
  image.values.resize(size_t(count));
  for (size_t i = 0; i < image.values.size(); i++, position += 4) {
    uint32_t bits = 0;  // a negative scale means little-endian
    for (size_t k = 0; k < 4; k++) bits |= uint32_t(file[position + k]) << 8 * (scale < 0 ? k : 3 - k);
    image.values[i] = std::bit_cast<float>(bits);
  }
  return image;
}

FloatImage read_pfm(const std::filesystem::path& path) {
  return read_pfm(read_file(path, kMaxFloatFile), path.string());
}

}  // namespace brokkr
