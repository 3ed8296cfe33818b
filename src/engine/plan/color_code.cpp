#include "plan/color_code.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/packing.hpp>

#include "brokkr/image.h"
#include "brokkr/renderer.h"

namespace brokkr {

uint64_t color_code(ColorFormat format, const glm::vec4& color) {
  uint64_t code = 0;
  for (int i = 0; i < 4; ++i) {
    if (format == ColorFormat::rgba16f) {
      code |= uint64_t(glm::packHalf1x16(color[i])) << (16 * i);
      continue;
    }
    float c = color[i] > 0 ? std::min(color[i], 1.0f) : 0.0f;
    if (format == ColorFormat::rgba8_srgb && i < 3)
      c = c <= 0.0031308f ? c * 12.92f : 1.055f * std::pow(c, 1 / 2.4f) - 0.055f;
    // The kernel rounds the same way. NOLINTNEXTLINE(bugprone-incorrect-roundings)
    code |= uint64_t(c * 255.0f + 0.5f) << (8 * i);
  }
  return code;
}

double linear_from_srgb(double encoded) {
  return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}

float half_to_float(uint16_t half) { return glm::unpackHalf1x16(half); }

std::vector<uint32_t> screen_pixels(const Layer& layer) {
  if (!layer.color.empty()) return layer.color;
  std::vector<uint32_t> pixels(layer.color_float.size() / 4);
  for (size_t pixel = 0; pixel < pixels.size(); ++pixel) {
    const float* const linear = &layer.color_float[pixel * 4];
    pixels[pixel] = uint32_t(color_code(ColorFormat::rgba8_srgb, {linear[0], linear[1], linear[2], 1}));
  }
  return pixels;
}

void write_png(const std::filesystem::path& path, const Layer& layer) {
  write_png(path, layer.width, layer.height, screen_pixels(layer), true);
}

}  // namespace brokkr
