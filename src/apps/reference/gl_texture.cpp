#include "reference/gl_texture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace brokkr {

namespace {

using Texel = std::array<double, 4>;  // linear red, green, blue; alpha

struct Level {
  int width, height;
  std::vector<Texel> texels;
};

double decode(double code) { return code <= 0.04045 ? code / 12.92 : std::pow((code + 0.055) / 1.055, 2.4); }
double encode(double linear) {
  return linear <= 0.0031308 ? linear * 12.92 : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

Level first_level(const Texture& source) {
  Level level{source.width, source.height, {}};
  for (const uint32_t word : source.texels) {
    Texel& texel = level.texels.emplace_back();
    for (size_t c = 0; c < 4; ++c) {
      const double code = double(word >> (8 * c) & 255u) / 255;
      texel[c] = source.srgb && c < 3 ? decode(code) : code;
    }
  }
  return level;
}

// Texel i of `count` covers the texels from i * from / count up to the start of the next one.
Level next_level(const Level& from) {
  Level to{std::max(1, from.width / 2), std::max(1, from.height / 2), {}};
  for (int y = 0; y < to.height; ++y)
    for (int x = 0; x < to.width; ++x) {
      const int left = x * from.width / to.width, right = (x + 1) * from.width / to.width;
      const int low = y * from.height / to.height, high = (y + 1) * from.height / to.height;
      Texel& mean = to.texels.emplace_back();
      for (int j = low; j < high; ++j)
        for (int i = left; i < right; ++i)
          for (size_t c = 0; c < 4; ++c)
            mean[c] +=
                from.texels[size_t(j) * size_t(from.width) + size_t(i)][c] / double((right - left) * (high - low));
    }
  return to;
}

std::vector<uint32_t> to_words(const Level& level, bool srgb) {
  std::vector<uint32_t> words;
  for (const Texel& texel : level.texels) {
    uint32_t word = 0;
    for (size_t c = 0; c < 4; ++c)
      word |= uint32_t(std::lround((srgb && c < 3 ? encode(texel[c]) : texel[c]) * 255)) << (8 * c);
    words.push_back(word);
  }
  return words;
}

void set_sampler(const GlTexture& texture, const Sampler& sampler) {
  static constexpr GLint kWraps[] = {GL_REPEAT, GL_MIRRORED_REPEAT, GL_CLAMP_TO_EDGE};
  static constexpr GLint kNearest[] = {GL_NEAREST, GL_NEAREST_MIPMAP_NEAREST, GL_NEAREST_MIPMAP_LINEAR};
  static constexpr GLint kLinear[] = {GL_LINEAR, GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_LINEAR};
  const auto set = [&](GLenum name, GLint value) { glTextureParameteri(texture.id(), name, value); };
  set(GL_TEXTURE_WRAP_S, kWraps[size_t(sampler.wrap_x)]);
  set(GL_TEXTURE_WRAP_T, kWraps[size_t(sampler.wrap_y)]);
  set(GL_TEXTURE_MIN_FILTER, (sampler.minify_linear ? kLinear : kNearest)[size_t(sampler.mip)]);
  set(GL_TEXTURE_MAG_FILTER, sampler.magnify_linear ? GL_LINEAR : GL_NEAREST);
}

}  // namespace

GlTexture upload_texture(const Texture& source, bool exact) {
  GlTexture texture = GlTexture::create(GLenum(GL_TEXTURE_2D));
  int levels = 1;
  while ((source.width | source.height) >> levels) ++levels;
  const GLenum linear = exact ? GL_RGBA16 : GL_RGBA8;  // 257 steps of 16 bits are one step of 8 bits
  glTextureStorage2D(texture.id(), levels, source.srgb ? GL_SRGB8_ALPHA8 : linear, source.width, source.height);
  Level level = first_level(source);
  for (int number = 0; number < levels; ++number) {
    if (number > 0) level = next_level(level);
    glTextureSubImage2D(texture.id(), number, 0, 0, level.width, level.height, GL_RGBA, GL_UNSIGNED_BYTE,
                        to_words(level, source.srgb).data());
  }
  set_sampler(texture, source.sampler);
  return texture;
}

}  // namespace brokkr
