// Texels in each encoding: a stored value reads back, levels are made from the level before, and blocks decode for any
// bits.
#include <array>
#include <bit>
#include <cmath>
#include <random>

#include "base/loading.h"
#include "bound_textures.h"
#include "run_shader.h"
#include "runnable_texel_kernels.h"
#include "shader/simplify.h"
#include "shader/texels.h"

namespace brokkr {

namespace shader::test {
namespace {

TEST(Texels, WhatIsStoredIsReadBack) {
  const std::array<float, 4> color = {0.25f, 0.5f, 0.125f, 1.0f};
  for (const TexelKernels* kernels : runnable_texel_kernels()) {
    for (int number = 0; number <= int(TexelEncoding::rgba4); ++number) {
      const auto encoding = TexelEncoding(number);
      const size_t channels = encoding == TexelEncoding::r32 ? 1 : encoding == TexelEncoding::rg32 ? 2 : 4;
      std::vector<uint32_t> words(5 * words_of(encoding), 0xabababab);
      kernels->store(words.data(), encoding, 2, color);
      const std::array<float, 4> read = kernels->load(words.data(), encoding, 2);
      const bool few = has_few_bits(encoding);
      const double most = few ? 1.0 / 17 : 0.003;
      for (size_t c = 0; c < channels; ++c) EXPECT_NEAR(read[c], color[c], most) << number << ", channel " << c;
      for (size_t i = 0; i < words.size(); ++i) {
        if (i / words_of(encoding) == 2) continue;
        EXPECT_EQ(words[i], 0xabababab) << number << ", word " << i;
      }
    }
  }
}

// Codes of 5 and 6 bits are the highest of 8, codes of 4 bits the nearest; each is widened by repeating it.
TEST(Texels, FewBitsAreNarrowedFromEight) {
  struct Narrow {
    TexelEncoding encoding;
    std::array<int, 4> bits;
  };
  constexpr std::array<Narrow, 3> kNarrow = {{{TexelEncoding::rgb565, {5, 6, 5, 0}},
                                              {TexelEncoding::rgb5_a1, {5, 5, 5, 1}},
                                              {TexelEncoding::rgba4, {4, 4, 4, 4}}}};
  const auto narrowed = [](int code, int bits) {
    if (bits == 0) return 255;
    if (bits == 4) return (code + 8) / 17 * 17;
    const int high = code >> (8 - bits) << (8 - bits);
    return bits == 1 ? (code >> 7) * 255 : high | high >> bits;
  };
  for (const TexelKernels* kernels : runnable_texel_kernels()) {
    for (const Narrow& narrow : kNarrow) {
      for (int code = 0; code < 256; ++code) {
        const float value = float(code) / 255.0f;
        std::array<uint32_t, 1> word{};
        kernels->store(word.data(), narrow.encoding, 0, {value, value, value, value});
        for (int c = 0; c < 4; ++c)
          ASSERT_EQ(int(word[0] >> (8 * c) & 255), narrowed(code, narrow.bits[size_t(c)])) << code << ", channel " << c;
      }
    }
  }
}

TEST(Texels, FormatsOfFewBitsAreDecoded) {
  const auto word_of = [](TexelFormat format, uint16_t bits) {
    uint32_t word = 0;
    decode_texels(format, reinterpret_cast<const std::byte*>(&bits), 1, 1, 1, &word);
    return word;
  };
  EXPECT_EQ(word_of(TexelFormat::rgb565, 0x8410), 0xff848284u);
  EXPECT_EQ(word_of(TexelFormat::rgb5_a1, 0x8421), 0xff848484u);
  EXPECT_EQ(word_of(TexelFormat::rgba4, 0x1234), 0x44332211u);
}

// Infinities and NaN keep their bits.
TEST(Texels, EveryHalfIsItsNumber) {
  for (const TexelKernels* kernels : runnable_texel_kernels()) {
    for (uint32_t half = 0; half < 0x10000; ++half) {
      const std::array<uint32_t, 4> words = {half | half << 16, half << 16};
      const std::array<float, 4> read = kernels->load(words.data(), TexelEncoding::rgba16f, 0);
      const uint32_t exponent = half >> 10 & 31, mantissa = half & 1023, sign = (half & 0x8000) << 16;
      const float size =
          exponent == 0 ? std::ldexp(float(mantissa), -24) : std::ldexp(float(1024 + mantissa), int(exponent) - 25);
      const uint32_t bits = sign | (exponent == 31 ? 0x7f800000 | mantissa << 13 : std::bit_cast<uint32_t>(size));
      for (const size_t c : {0, 1, 3}) ASSERT_EQ(std::bit_cast<uint32_t>(read[c]), bits) << half << ", channel " << c;
      ASSERT_EQ(std::bit_cast<uint32_t>(read[2]), 0u);
    }
  }
}

// Even sides: the mean of two by two texels; odd sides: the value at the new texel's centre.
TEST(Texels, LevelsAreMadeOfTheOnesBefore) {
  for (const TexelKernels* kernels : runnable_texel_kernels()) {
    TextureTexels texture{TextureKind::two, TexelEncoding::r32, 6, 4, 1, 2, {0, 24}};
    std::vector<uint32_t> words(24 + 6);
    for (uint32_t i = 0; i < 24; ++i) words[i] = std::bit_cast<uint32_t>(float(i % 6 + 10 * (i / 6)));
    EXPECT_EQ(kernels->make(words.data(), texture, 1), 6u);
    for (uint32_t i = 0; i < 6; ++i)
      EXPECT_EQ(std::bit_cast<float>(words[24 + i]), float(i % 3) * 2 + 0.5f + 10 * (float(i / 3) * 2 + 0.5f)) << i;

    texture = {TextureKind::three, TexelEncoding::r32, 2, 2, 2, 2, {0, 8}};
    for (uint32_t i = 0; i < 8; ++i) words[i] = std::bit_cast<uint32_t>(float(i));
    EXPECT_EQ(kernels->make(words.data(), texture, 1), 1u);
    EXPECT_EQ(std::bit_cast<float>(words[8]), 3.5f);

    texture = {TextureKind::two_array, TexelEncoding::rgba8, 4, 1, 3, 2, {0, 12}};
    for (uint32_t i = 0; i < 12; ++i) words[i] = 0x01010101u * (10 * (i / 4) + 20 * (i % 4 / 2));
    EXPECT_EQ(kernels->make(words.data(), texture, 1), 6u);
    for (uint32_t i = 0; i < 6; ++i) EXPECT_EQ(words[12 + i], 0x01010101u * (10 * (i / 2) + 20 * (i % 2))) << i;
  }
}

// The decoder reads a block at the end of a page to its last byte and no further (the address sanitizer checks that).
// If both ends have the same colour, every texel has it.
TEST(Texels, BlocksOfAnyBitsDecode) {
  std::mt19937 random(7);
  for (int format = int(TexelFormat::bc1); format <= int(TexelFormat::bc7_srgb); ++format) {
    const size_t bytes = texel_block(TexelFormat(format)).bytes;
    std::vector<std::byte> data(6 * bytes);  // 5 x 9 texels: two columns and three rows of blocks
    for (int run = 0; run < 2000; ++run) {
      for (std::byte& one : data) one = std::byte(random());
      std::vector<uint32_t> words(45 * words_of(encoding_of(TexelFormat(format), false)) + 1, 0);
      words.back() = 77;
      decode_texels(TexelFormat(format), data.data(), 5, 9, 1, words.data());
      ASSERT_EQ(words.back(), 77u);
    }
  }
  std::array<std::byte, 8> block{};
  block[0] = block[2] = std::byte(0x1f);  // 0x001f: blue
  std::vector<uint32_t> words(16);
  decode_texels(TexelFormat::bc1, block.data(), 4, 4, 1, words.data());
  for (const uint32_t word : words) EXPECT_EQ(word, 0xffff0000u);
}

// Rows of large textures are decoded in parallel and equal the level decoded at once.
TEST(Texels, PartsOfLevelsAreTheWhole) {
  std::mt19937 random(8);
  for (const TexelFormat format : {TexelFormat::rg8, TexelFormat::bc1, TexelFormat::bc5_snorm, TexelFormat::rgba8}) {
    const CapturedTexture texture{
        .kind = TextureKind::two_array, .format = format, .width = 515, .height = 301, .depth = 2, .levels = 3};
    std::vector<std::byte> data(texture_bytes(texture));
    for (std::byte& one : data) one = std::byte(random());
    BoundTextures bound;
    bound.add(texture, data, {});
    bound.prepare();
    const TextureTexels& texels = bound.sampled.textures.at(0);
    const std::byte* from = data.data();
    for (int level = 0; level < 3; ++level) {
      const TexelExtent extent = level_extent(texture, level);
      std::vector<uint32_t> whole(size_t(extent.width * extent.height * 2) * words_of(texels.encoding));
      decode_texels(format, from, extent.width, extent.height, 2, whole.data());
      from += level_bytes(texture, level);
      const auto first = bound.sampled.texels.begin() + texels.first[level];
      EXPECT_TRUE(std::equal(whole.begin(), whole.end(), first)) << int(format) << " level " << level;
    }
  }
}

TEST(Texels, SamplersMustFitTheirTextures) {
  const uint32_t texel = 0;
  BoundTextures bound;
  bound.add({.kind = TextureKind::two, .format = TexelFormat::rgba8ui}, std::as_bytes(std::span(&texel, 1)), {});
  bound.prepare();
  const SampledRecord& record = bound.sampled.records.at(0);
  EXPECT_EQ(misfit({.name = "a", .compares = false, .kind = TextureKind::two, .type = SampledType::natural}, record),
            "");
  EXPECT_EQ(misfit({.name = "a", .compares = false, .kind = TextureKind::two, .type = SampledType::integer}, record),
            "");
  EXPECT_TRUE(
      facts_of({.name = "a", .compares = false, .kind = TextureKind::two, .type = SampledType::integer}, &record)
          .is_read);
  EXPECT_FALSE(
      facts_of({.name = "a", .compares = false, .kind = TextureKind::two, .type = SampledType::real}, &record).is_read);
  EXPECT_EQ(misfit({.name = "a", .compares = false, .kind = TextureKind::cube, .type = SampledType::natural}, record),
            "'a' reads cube of uints, and is given 2D of uints");
  EXPECT_EQ(misfit({.name = "a", .compares = false, .kind = TextureKind::two, .type = SampledType::real}, record),
            "'a' reads 2D of floats, and is given 2D of uints");
}

// Textures that are missing from the file give black, and so do samplers without a texture.
TEST(Texels, WhatTheFrameDoesNotHoldHasNoRecord) {
  Frame frame;
  frame.captured_textures.resize(2);
  frame.captured_textures[1].images.push_back({});
  frame.inputs.emplace_back().textures = {{0, -1}, {1, -1}, {-1, -1}};
  const LoadOptions options;
  Loading loading(options);
  const SampledTextures sampled = make_sampled_textures(frame, loading);
  EXPECT_EQ(sampled.record_of({0, -1}), -1);
  EXPECT_EQ(sampled.record_of({1, -1}), 0);
  EXPECT_EQ(sampled.record_of({-1, -1}), -1);
  ASSERT_EQ(sampled.images.size(), 1u);
  EXPECT_EQ(sampled.images[0].texture, 1u);
}

// A filter may read the word after a texture's last one: it exists and belongs to no other texture.
TEST(Texels, BehindEachTextureIsAWordOfNobody) {
  const std::array<uint32_t, 4> texels{};
  BoundTextures bound;
  for (int i = 0; i < 3; ++i) bound.add({.width = 2, .height = 2}, std::as_bytes(std::span(texels)), {});
  bound.prepare();
  for (size_t i = 0; i < 3; ++i) {
    const size_t behind = bound.sampled.textures[i].first[0] + 4;
    EXPECT_LT(behind, i == 2 ? bound.sampled.texels.size() : bound.sampled.textures[i + 1].first[0]);
  }
}

TEST(Texels, MemoryIsAskedForFirst) {
  Frame frame;
  frame.captured_textures.push_back({.width = 8192, .height = 8192, .images = {{}}});
  frame.inputs.emplace_back().textures = {{0, -1}};
  LoadOptions options;
  options.memory_limit = 64;
  Loading loading(options);
  EXPECT_THROW(make_sampled_textures(frame, loading), std::runtime_error);
}

}  // namespace
}  // namespace shader::test
}  // namespace brokkr
