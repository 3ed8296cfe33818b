// Textures as the kernel samples them.
#include <algorithm>
#include <array>
#include <cmath>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>

#include "pipeline/color_code.h"
#include "pipeline/prepare.h"

namespace brokkr {
namespace {

std::array<float, 256> decode_table(bool srgb) {
  std::array<float, 256> table{};
  for (int i = 0; i < 256; ++i) {
    const double c = i / 255.0;
    table[size_t(i)] = float(srgb ? linear_from_srgb(c) : c);
  }
  return table;
}

uint32_t unorm(float v, float most) { return uint32_t(std::lround(std::clamp(v, 0.0f, 1.0f) * most)); }

TexelCode code_of(const Texture& texture) {
  if (!texture.srgb) return TexelCode::linear;
  const bool opaque =
      std::all_of(texture.texels.begin(), texture.texels.end(), [](uint32_t t) { return t >> 24 == 255; });
  return opaque ? TexelCode::root_opaque : TexelCode::root;
}

SamplerRecord sampler_record(const Sampler& s) {
  SamplerRecord r{};
  r.usual = s == Sampler{} ? 1 : 0;
  r.wrap_x = uint8_t(s.wrap_x);
  r.wrap_y = uint8_t(s.wrap_y);
  r.mip = uint8_t(s.mip);
  r.magnify_nearest = s.magnify_linear ? 0 : 1;
  r.minify_nearest = s.minify_linear ? 0 : 1;
  return r;
}

// `decoded`: linear light by 8-bit sRGB code. Levels are rounded to those codes first, the precision that the texture
// has, as OpenGL stores them.
uint32_t encode(TexelCode code, const glm::vec4& texel, const std::array<float, 256>& decoded) {
  glm::vec3 color(texel);
  if (code != TexelCode::linear) {
    const uint64_t stored = color_code(ColorFormat::rgba8_srgb, texel);
    for (int c = 0; c < 3; ++c) color[c] = std::sqrt(decoded[size_t(stored >> (8 * c) & 255)]);
  }
  if (code == TexelCode::root_opaque)
    return unorm(color.x, 2047) | unorm(color.y, 2047) << 11 | unorm(color.z, 1023) << 22;
  return unorm(color.x, 255) | unorm(color.y, 255) << 8 | unorm(color.z, 255) << 16 | unorm(texel.w, 255) << 24;
}

}  // namespace

TextureRecord append_mip_chain(const Texture& texture, std::vector<uint32_t>& texels, Loading& loading) {
  // Two levels in floating point, and the chain, whose list grows by copies.
  const uint64_t chain = uint64_t(texture.texels.size()) * 4 / 3 * sizeof(uint32_t);
  loading.check(texture.texels.size() * (sizeof(glm::vec4) * 5 / 4) + 3 * chain, texture.name);
  loading.need(chain, texture.name);
  const std::array<float, 256> color = decode_table(texture.srgb), alpha = decode_table(false);
  std::vector<glm::vec4> level(texture.texels.size());
  for (size_t i = 0; i < level.size(); ++i) {
    const uint32_t t = texture.texels[i];
    loading.step(i, level.size());
    level[i] = {color[t & 255], color[(t >> 8) & 255], color[(t >> 16) & 255], alpha[t >> 24]};
  }
  TextureRecord record{};
  record.width = uint32_t(texture.width);
  record.height = uint32_t(texture.height);
  record.code = code_of(texture);
  record.sampler = sampler_record(texture.sampler);
  int width = texture.width, height = texture.height;
  for (;;) {
    record.first_texel[record.levels++] = uint32_t(texels.size());
    for (const glm::vec4& t : level) {
      loading.step();
      texels.push_back(encode(record.code, t, color));
    }
    if ((width == 1 && height == 1) || record.levels == kMaxTextureLevels) return record;
    const int next_width = std::max(1, width / 2), next_height = std::max(1, height / 2);
    std::vector<glm::vec4> next(size_t(next_width) * size_t(next_height));
    for (int y = 0; y < next_height; ++y) {
      loading.look(0, 1);
      for (int x = 0; x < next_width; ++x) {
        // All texels of this level that the new one covers: two by two, three where an odd size ends.
        const int x0 = x * width / next_width, x1 = std::max(x0 + 1, (x + 1) * width / next_width);
        const int y0 = y * height / next_height, y1 = std::max(y0 + 1, (y + 1) * height / next_height);
        glm::vec4 sum(0.0f);
        for (int j = y0; j < y1; ++j) {
          for (int i = x0; i < x1; ++i) sum += level[size_t(j) * size_t(width) + size_t(i)];
        }
        next[size_t(y) * size_t(next_width) + size_t(x)] = sum / float((x1 - x0) * (y1 - y0));
      }
    }
    level = std::move(next);
    width = next_width;
    height = next_height;
  }
}

}  // namespace brokkr
