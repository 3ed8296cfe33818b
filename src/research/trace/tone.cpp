#include "trace/tone.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace brokkr::trace {
namespace {

uint32_t encoded(float linear) {
  const double c = std::clamp(double(linear), 0.0, 1.0);
  const double s = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
  return uint32_t(std::lround(s * 255));
}

// `encoded` by table lookup: a picture that is displayed repeatedly has millions of channels.
class Encoder {
 public:
  Encoder() {
    for (uint32_t i = 0; i < kEntries; ++i) first_[i] = uint8_t(encoded(start_of(i)));
    for (uint32_t level = 1; level < 256; ++level) least_[level] = least_of(level);
    least_[256] = 2;  // above all floats
  }
  uint32_t operator()(float linear) const {
    const float c = linear > 0 ? std::min(linear, 1.0f) : 0.0f;
    uint32_t level = first_[std::bit_cast<uint32_t>(c) >> kShift];
    while (c >= least_[level + 1]) ++level;
    return level;
  }

 private:
  // Indexes floats up to 1 by their upper bits.
  static constexpr uint32_t kShift = 16, kEntries = (0x3f800000u >> kShift) + 1;
  static float start_of(uint32_t entry) { return std::bit_cast<float>(entry << kShift); }
  // The smallest float that becomes this level.
  static float least_of(uint32_t level) {
    uint32_t below = 0, at = 0x3f800000u;  // bit patterns of 0 and 1, which have the same order as the floats
    while (at - below > 1) {
      const uint32_t middle = (below + at) / 2;
      (encoded(std::bit_cast<float>(middle)) >= level ? at : below) = middle;
    }
    return std::bit_cast<float>(at);
  }
  std::array<uint8_t, kEntries> first_{};
  std::array<float, 257> least_{};
};

}  // namespace

float automatic_exposure(const TracePicture& picture, const glm::vec3& sky) {
  double sum = 0;
  uint64_t count = 0;
  for (size_t i = 0; i < picture.samples.size(); ++i) {
    const float* const c = &picture.rgb[3 * i];
    if (glm::vec3(c[0], c[1], c[2]) == sky) continue;
    const double luminance = 0.2126 * double(c[0]) + 0.7152 * double(c[1]) + 0.0722 * double(c[2]);
    if (!(luminance > 1e-6) || !std::isfinite(luminance)) continue;
    sum += std::log2(luminance);
    ++count;
  }
  if (count == 0) return 0;
  constexpr double kMiddleGrey = 0.18;
  return float(std::log2(kMiddleGrey) - sum / double(count));
}

std::vector<uint32_t> screen_pixels(const TracePicture& picture, float exposure, Tone tone) {
  static const Encoder encode;
  const float scale = std::exp2(exposure);
  std::vector<uint32_t> pixels(picture.samples.size());
  for (size_t i = 0; i < pixels.size(); ++i) {
    uint32_t pixel = 0xff000000u;
    for (size_t k = 0; k < 3; ++k) {
      float c = picture.rgb[3 * i + k] * scale;
      if (tone == Tone::filmic) c = c * (1 + c / 16) / (1 + c);
      pixel |= encode(c) << (8 * k);
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
