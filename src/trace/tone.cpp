#include "trace/tone.h"

#include <algorithm>
#include <cmath>

namespace brokkr::trace {
namespace {

uint32_t encoded(float linear) {
  const double c = std::clamp(double(linear), 0.0, 1.0);
  const double s = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
  return uint32_t(std::lround(s * 255));
}

}  // namespace

std::vector<uint32_t> screen_pixels(const TracePicture& picture, float exposure, Tone tone) {
  const float scale = std::exp2(exposure);
  std::vector<uint32_t> pixels(picture.samples.size());
  for (size_t i = 0; i < pixels.size(); ++i) {
    uint32_t pixel = 0xff000000u;
    for (size_t k = 0; k < 3; ++k) {
      float c = picture.rgb[3 * i + k] * scale;
      if (tone == Tone::filmic) c = c * (1 + c / 16) / (1 + c);
      pixel |= encoded(c) << (8 * k);
    }
    pixels[i] = pixel;
  }
  return pixels;
}

std::vector<uint32_t> sample_map_pixels(const TracePicture& picture) {
  const uint32_t most = *std::max_element(picture.samples.begin(), picture.samples.end());
  std::vector<uint32_t> pixels(picture.samples.size());
  for (size_t i = 0; i < pixels.size(); ++i) {
    const uint32_t grey = most == 0 ? 0 : uint32_t(uint64_t(picture.samples[i]) * 255 / most);
    pixels[i] = 0xff000000u | grey * 0x010101u;
  }
  return pixels;
}

}  // namespace brokkr::trace
