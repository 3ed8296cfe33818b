// Builds textures in the form that the kernel reads.
#include <algorithm>
#include <array>
#include <cmath>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>

#include "base/loading.h"
#include "plan/color_code.h"
#include "plan/prepare.h"

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

uint32_t unorm(float value, float max_code) { return uint32_t(std::lround(std::clamp(value, 0.0f, 1.0f) * max_code)); }

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

// Encodes the texel in the texture's own format, as OpenGL stores levels.
uint32_t stored_code(bool srgb, const glm::vec4& texel) {
  if (srgb) return uint32_t(color_code(ColorFormat::rgba8_srgb, texel));
  return unorm(texel.x, 255) | unorm(texel.y, 255) << 8 | unorm(texel.z, 255) << 16 | unorm(texel.w, 255) << 24;
}

// `decoded`: linear light by 8-bit sRGB code. Levels are first rounded to those codes, because the texture has that
// precision.
uint32_t encode(TexelCode code, const glm::vec4& texel, const std::array<float, 256>& decoded) {
  const uint32_t stored = stored_code(code != TexelCode::linear, texel);
  if (code == TexelCode::linear) return stored;
  glm::vec3 root;
  for (int c = 0; c < 3; ++c) root[c] = std::sqrt(decoded[size_t(stored >> (8 * c) & 255)]);
  if (code == TexelCode::root_opaque)
    return unorm(root.x, 2047) | unorm(root.y, 2047) << 11 | unorm(root.z, 1023) << 22;
  return unorm(root.x, 255) | unorm(root.y, 255) << 8 | unorm(root.z, 255) << 16 | unorm(texel.w, 255) << 24;
}

// Calls take(the level's texels in linear light) for each level, largest first, for at most kMaxTextureLevels.
template <class F>
void each_level(const Texture& texture, const std::array<float, 256>& color, Loading& loading, F&& take) {
  const std::array<float, 256> alpha = decode_table(false);
  std::vector<glm::vec4> level(texture.texels.size());
  for (size_t i = 0; i < level.size(); ++i) {
    const uint32_t t = texture.texels[i];
    loading.step(i, level.size());
    level[i] = {color[t & 255], color[(t >> 8) & 255], color[(t >> 16) & 255], alpha[t >> 24]};
  }
  int width = texture.width, height = texture.height;
  for (int levels = 1;; ++levels) {
    take(level);
    if ((width == 1 && height == 1) || levels == kMaxTextureLevels) return;
    const int next_width = std::max(1, width / 2), next_height = std::max(1, height / 2);
    std::vector<glm::vec4> next(size_t(next_width) * size_t(next_height));
    for (int y = 0; y < next_height; ++y) {
      loading.look(0, 1);
      for (int x = 0; x < next_width; ++x) {
        // The new texel covers two by two texels of this level, or three at the end of an odd size.
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

// Checks that memory suffices for two levels in floating point and for the chain, which is copied when its list grows.
void need_chain(const Texture& texture, Loading& loading) {
  const uint64_t chain = uint64_t(texture.texels.size()) * 4 / 3 * sizeof(uint32_t);
  loading.check(texture.texels.size() * (sizeof(glm::vec4) * 5 / 4) + 3 * chain, texture.name);
  loading.need(chain, texture.name);
}

}  // namespace

TextureRecord append_mip_chain(const Texture& texture, std::vector<uint32_t>& texels, Loading& loading) {
  need_chain(texture, loading);
  const std::array<float, 256> color = decode_table(texture.srgb);
  TextureRecord record{};
  record.width = uint32_t(texture.width);
  record.height = uint32_t(texture.height);
  record.code = code_of(texture);
  record.sampler = sampler_record(texture.sampler);
  each_level(texture, color, loading, [&](const std::vector<glm::vec4>& level) {
    record.first_texel[record.levels++] = uint32_t(texels.size());
    for (const glm::vec4& t : level) {
      loading.step();
      texels.push_back(encode(record.code, t, color));
    }
  });
  return record;
}

CapturedTexture append_captured(const Texture& texture, std::vector<std::byte>& data, Loading& loading) {
  need_chain(texture, loading);
  CapturedTexture made{.label = texture.name,
                       .format = texture.srgb ? TexelFormat::rgba8_srgb : TexelFormat::rgba8,
                       .width = texture.width,
                       .height = texture.height,
                       .levels = 0,
                       .stored = true,
                       .first_byte = data.size()};
  each_level(texture, decode_table(texture.srgb), loading, [&](const std::vector<glm::vec4>& level) {
    ++made.levels;
    for (const glm::vec4& t : level) {
      loading.step();
      const uint32_t code = stored_code(texture.srgb, t);
      const auto* const bytes = reinterpret_cast<const std::byte*>(&code);
      data.insert(data.end(), bytes, bytes + sizeof code);
    }
  });
  return made;
}

}  // namespace brokkr
