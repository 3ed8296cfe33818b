// Picture files. In memory, rows run bottom to top as everywhere in this program; the writers reverse them where the
// format stores the top row first. Every writer replaces its file as a whole or not at all. Errors are
// std::runtime_error naming file, problem and remedy; a `pixels` of the wrong size is std::invalid_argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

// RGBA8: 0xAABBGGRR, width * height values.
struct Image {
  int width = 0, height = 0;
  std::vector<uint32_t> texels;
  bool has_alpha = false;  // an alpha below 255 occurs
};

// width * height * channels values, channels next to each other.
struct FloatImage {
  int width = 0, height = 0, channels = 0;
  std::vector<float> values;
};

inline constexpr uint64_t kMaxImagePixels = uint64_t(1) << 28;  // read_image and read_pfm: 16384 x 16384

// `opaque` leaves alpha out of the file.
void write_png(const std::filesystem::path& path, int width, int height, std::span<const uint32_t> pixels,
               bool opaque = false);

// A layer's colour as a window shows it: without alpha, of a floating-point target clamped and sRGB-encoded.
struct Layer;  // renderer.h
void write_png(const std::filesystem::path& path, const Layer& layer);
std::vector<uint32_t> screen_pixels(const Layer& layer);

// 32-bit floats, ZIP compressed. `channels`: 1 (Y), 3 (RGB) or 4 (RGBA).
void write_exr(const std::filesystem::path& path, int width, int height, int channels, std::span<const float> pixels);

// Several pictures of one size as the layers of one file, each with its channels NAME.R, NAME.G and so on, by which
// other programs know layers. Names are of ASCII letters, digits, - and _, at most 200, and each occurs once.
struct ExrLayer {
  std::string name;
  std::vector<float> pixels;  // as of write_exr
};
void write_exr_layers(const std::filesystem::path& path, int width, int height, int channels,
                      std::span<const ExrLayer> layers);

// Portable float map, little-endian. `channels`: 1 or 3.
void write_pfm(const std::filesystem::path& path, int width, int height, int channels, std::span<const float> pixels);
FloatImage read_pfm(const std::filesystem::path& path);
FloatImage read_pfm(std::span<const std::byte> file, std::string_view name);

// PNG, JPEG, BMP or TGA (stb_image). Sides up to kMaxTargetSize, together up to `max_pixels`; no more memory is taken
// than a quarter of what is free.
Image read_image(const std::filesystem::path& path, uint64_t max_pixels = kMaxImagePixels);
Image read_image(std::span<const std::byte> file, std::string_view name, uint64_t max_pixels = kMaxImagePixels);

}  // namespace brokkr
#pragma GCC visibility pop
