// Texture levels that are made from the level before, against llvmpipe's glGenerateMipmap.
#include <gtest/gtest.h>

#include "gl_triangle.h"
#include "shader/runnable_texel_kernels.h"

namespace brokkr {

namespace shader::test {
namespace {

// Shares of channels that may be one code off. The mean of even sides is exact, and a tie goes to the even code. For
// odd sides, the last bits of llvmpipe's coordinates decide on which side of a tie the mean lies. llvmpipe encodes sRGB
// with the processor's approximate square roots, and truncates 16 bits to 10 where OpenGL rounds.
struct MipFormat {
  const char* name;
  TexelEncoding encoding;
  GLenum internal, pixels, type;
  double even, odd;
};
constexpr MipFormat kMipFormats[] = {
    {"rgba8", TexelEncoding::rgba8, GL_RGBA8, GL_RGBA, GL_UNSIGNED_INT_8_8_8_8_REV, 0, 0.025},
    {"srgb8", TexelEncoding::srgb8, GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_INT_8_8_8_8_REV, 0.08, 0.08},
    {"rgb10_a2", TexelEncoding::rgb10_a2, GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, 0.17, 0.17},
    {"rgba16", TexelEncoding::rgba16, GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, 0, 0.07},
};
struct MipSize {
  int width, height;
};
constexpr MipSize kMipSizes[] = {{64, 64}, {128, 32}, {256, 256}, {1, 32}, {21, 13}, {37, 64}, {100, 75}, {5, 3}};

// The words of level `level` of the bound texture.
std::vector<uint32_t> words_of_level(const MipFormat& format, int level, size_t texels) {
  std::vector<uint32_t> words(texels * words_of(format.encoding));
  glGetTexImage(GL_TEXTURE_2D, level, format.pixels, format.type, words.data());
  return words;
}

// The number of channels that differ between two levels, and of all channels.
struct MipDifference {
  size_t differ = 0, all = 0, most = 0;

  void add(const MipFormat& format, const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
    const uint32_t tens[] = {0, 10, 20, 30}, bytes[] = {0, 8, 16, 24}, halves[] = {0, 16};
    const bool ten = format.encoding == TexelEncoding::rgb10_a2, sixteen = format.encoding == TexelEncoding::rgba16;
    for (size_t i = 0; i < a.size(); ++i) {
      for (size_t c = 0; c < (sixteen ? 2u : 4u); ++c) {
        const uint32_t shift = sixteen ? halves[c] : ten ? tens[c] : bytes[c];
        const uint32_t mask = sixteen ? 0xffffu : !ten ? 0xffu : c == 3 ? 3u : 0x3ffu;
        const int off = std::abs(int(a[i] >> shift & mask) - int(b[i] >> shift & mask));
        ++all;
        if (off != 0) ++differ;
        most = std::max(most, size_t(off));
      }
    }
  }
};

class Mips : public testing::TestWithParam<MipFormat> {};

TEST_P(Mips, AreAsLlvmpipeHasThem) {
  try {
    CompatibilityContext::begin();
  } catch (const std::exception& error) {
    GTEST_SKIP() << "OpenGL: " << error.what();
  }
  const MipFormat& format = GetParam();
  const std::vector<const TexelKernels*> kernels = runnable_texel_kernels();
  for (const MipSize& size : kMipSizes) {
    const auto side = [](int n, int level) { return std::max(n >> level, 1); };
    int levels = 1;
    while (std::max(size.width, size.height) >> levels > 0) ++levels;
    GlTexture texture = GlTexture::create(GLenum(GL_TEXTURE_2D));
    glBindTexture(GL_TEXTURE_2D, texture.id());
    glTexStorage2D(GL_TEXTURE_2D, levels, format.internal, size.width, size.height);
    std::vector<uint32_t> before(size_t(size.width) * size_t(size.height) * words_of(format.encoding));
    uint32_t state = 5;
    for (uint32_t& word : before) {
      state = state * 1664525u + 1013904223u;
      word = (state ^ state >> 15) * 0x2c1b3c6du;
    }
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, size.width, size.height, format.pixels, format.type, before.data());
    glGenerateMipmap(GL_TEXTURE_2D);
    MipDifference difference;
    for (int level = 1; level < levels; ++level) {
      const size_t texels = size_t(side(size.width, level)) * size_t(side(size.height, level));
      const std::vector<uint32_t> theirs = words_of_level(format, level, texels);
      // Each level is made from llvmpipe's level before it.
      const TextureTexels record{TextureKind::two,
                                 format.encoding,
                                 uint32_t(side(size.width, level - 1)),
                                 uint32_t(side(size.height, level - 1)),
                                 1,
                                 2,
                                 {0, uint32_t(before.size())}};
      std::vector<uint32_t> ours;
      for (const TexelKernels* one : kernels) {
        std::vector<uint32_t> words = before;
        words.resize(before.size() + theirs.size());
        ASSERT_EQ(one->make(words.data(), record, 1), texels);
        const std::vector<uint32_t> made(words.begin() + ptrdiff_t(before.size()), words.end());
        if (!ours.empty()) {
          ASSERT_EQ(made, ours);
        }
        ours = made;
      }
      difference.add(format, ours, theirs);
      before = theirs;
    }
    if (std::getenv("BROKKR_TEXTURE_FIGURES") != nullptr)
      std::printf("%s, %d x %d: %.3f %% of %zu channels differ, by %zu at most\n", format.name, size.width, size.height,
                  100.0 * double(difference.differ) / double(difference.all), difference.all, difference.most);
    const bool even = (size.width & (size.width - 1)) == 0 && (size.height & (size.height - 1)) == 0;
    EXPECT_LE(double(difference.differ), (even ? format.even : format.odd) * double(difference.all))
        << size.width << " x " << size.height;
    EXPECT_LE(difference.most, 1u) << size.width << " x " << size.height;
  }
  EXPECT_EQ(glGetError(), GLenum(GL_NO_ERROR));
}

INSTANTIATE_TEST_SUITE_P(Formats, Mips, testing::ValuesIn(kMipFormats),
                         [](const testing::TestParamInfo<MipFormat>& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace shader::test
}  // namespace brokkr
