// OpenEXR (tinyexr) and portable float maps.
#include <tinyexr.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>

#include "brokkr/frame.h"
#include "brokkr/image.h"
#include "scene/file_io.h"

namespace brokkr {
namespace {

constexpr uint64_t kMaxFloatFile = uint64_t(4) << 30;

[[noreturn]] void fail(std::string_view name, const std::string& problem, const std::string& remedy) {
  throw std::runtime_error(std::string(name) + ": " + problem + "; " + remedy);
}

void check_pixels(const char* function, int width, int height, int channels, size_t values) {
  if (width < 1 || height < 1 || width > kMaxTargetSize || height > kMaxTargetSize ||
      values != size_t(width) * size_t(height) * size_t(channels)) {
    throw std::invalid_argument(std::string(function) + ": pixels are not width * height * channels");
  }
}

std::span<const std::byte> as_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

// The next word of a PFM header; the single white-space character behind it is consumed.
std::string next_word(std::span<const std::byte> file, size_t& position) {
  std::string word;
  while (position < file.size() && word.size() < 32) {
    const char character = char(file[position++]);
    if (std::isspace(static_cast<unsigned char>(character))) {
      if (!word.empty()) return word;
    } else {
      word.push_back(character);
    }
  }
  return {};
}

std::optional<int> to_int(const std::string& word) {
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
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
    fail(path.string(), "cannot be encoded as EXR (" + reason + ")", "write .pfm instead");
  }
  write_file(path, std::span(reinterpret_cast<const std::byte*>(memory), size));
}

void write_pfm(const std::filesystem::path& path, int width, int height, int channels, std::span<const float> pixels) {
  if (channels != 1 && channels != 3) throw std::invalid_argument("write_pfm: channels");
  check_pixels("write_pfm", width, height, channels, pixels.size());
  static_assert(std::endian::native == std::endian::little);
  const std::string header =
      std::string(channels == 1 ? "Pf\n" : "PF\n") + std::to_string(width) + " " + std::to_string(height) + "\n-1.0\n";
  std::vector<std::byte> file(header.size() + pixels.size_bytes());
  std::copy_n(as_bytes(header).begin(), header.size(), file.begin());
  std::memcpy(file.data() + header.size(), pixels.data(), pixels.size_bytes());
  write_file(path, file);
}

FloatImage read_pfm(std::span<const std::byte> file, std::string_view name) {
  size_t position = 0;
  const std::string magic = next_word(file, position);
  if (magic != "Pf" && magic != "PF") fail(name, "is no portable float map", "name a .pfm file");
  FloatImage image;
  image.channels = magic == "Pf" ? 1 : 3;
  const std::optional<int> width = to_int(next_word(file, position)), height = to_int(next_word(file, position));
  const std::string scale_word = next_word(file, position);
  const double scale = std::strtod(scale_word.c_str(), nullptr);
  if (!width || !height || *width < 1 || *height < 1 || *width > kMaxTargetSize || *height > kMaxTargetSize ||
      scale == 0 || !std::isfinite(scale)) {
    fail(name, "has a header with an unusable size or scale", "write the file again");
  }
  image.width = *width;
  image.height = *height;
  const uint64_t count = uint64_t(image.width) * uint64_t(image.height) * uint64_t(image.channels);
  if (file.size() - position != count * sizeof(float)) {
    fail(name, "does not hold width * height values", "write the file again");
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
