// Image files. In memory, rows run from bottom to top, as everywhere in Brokkr; writers reverse them for formats that
// store the top row first. Every writer replaces its file completely or not at all. An error is a std::runtime_error
// whose message names file, problem and remedy. If `pixels` has the wrong size, writers throw std::invalid_argument.
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
  bool has_alpha = false;  // some texel's alpha is below 255
};

// width * height * channels values, with the channels of a pixel adjacent.
struct FloatImage {
  int width = 0, height = 0, channels = 0;
  std::vector<float> values;
};

inline constexpr uint64_t kMaxImagePixels = uint64_t(1) << 28;  // limit of read_image and read_pfm: 16384 x 16384

// `pixels`: width * height values, 0xAABBGGRR. `opaque` omits alpha from the file.
void write_png(const std::filesystem::path& path, int width, int height, std::span<const uint32_t> pixels,
               bool opaque = false);

// Writes a layer's colour as a window shows it: without alpha. A floating-point colour is clamped and sRGB-encoded.
struct Layer;  // renderer.h
void write_png(const std::filesystem::path& path, const Layer& layer);
// Returns the same pixels in memory: width * height values, 0xAABBGGRR.
std::vector<uint32_t> screen_pixels(const Layer& layer);

// Writes 32-bit floats, ZIP compressed. `channels`: 1 (Y), 3 (RGB) or 4 (RGBA).
void write_exr(const std::filesystem::path& path, int width, int height, int channels, std::span<const float> pixels);

// Writes several pictures of one size as the layers of one file. Channels are NAME.R, NAME.G and so on, which other
// programs recognize as layers. A name has at most 200 ASCII letters, digits, - and _, and is unique in the file.
struct ExrLayer {
  std::string name;
  std::vector<float> pixels;  // laid out as in write_exr
  int channels = 0;           // 0: the channels of write_exr_layers
};
void write_exr_layers(const std::filesystem::path& path, int width, int height, int channels,
                      std::span<const ExrLayer> layers);

// Writes a portable float map, little-endian. `channels`: 1 or 3.
void write_pfm(const std::filesystem::path& path, int width, int height, int channels, std::span<const float> pixels);
// Reads a portable float map from a file, or from bytes; messages use `name` as the file's name.
FloatImage read_pfm(const std::filesystem::path& path);
FloatImage read_pfm(std::span<const std::byte> file, std::string_view name);

// Reads PNG, JPEG, BMP or TGA (stb_image). Each side may have up to kMaxTargetSize pixels, the picture up to
// `max_pixels`. Uses at most a quarter of the free memory.
Image read_image(const std::filesystem::path& path, uint64_t max_pixels = kMaxImagePixels);
Image read_image(std::span<const std::byte> file, std::string_view name, uint64_t max_pixels = kMaxImagePixels);

}  // namespace brokkr
#pragma GCC visibility pop
