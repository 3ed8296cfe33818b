#include "bin/pattern_image.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace brokkr {
namespace {

uint32_t pixel(const PatternImage& image, int x, int y) {
  return image.pixels[size_t(y) * size_t(image.width) + size_t(x)];
}

TEST(PatternImage, ColoursAreDistinctAndOpaque) {
  std::set<uint32_t> colors;
  for (int r = 0; r < kMaxRasterizers; ++r) {
    colors.insert(rasterizer_color(r));
    EXPECT_EQ(rasterizer_color(r) >> 24, 0xffu);
  }
  EXPECT_EQ(int(colors.size()), kMaxRasterizers);
  EXPECT_EQ(colors.count(0xff202020u), 0u);  // the separating line
  EXPECT_THROW((void)rasterizer_color(-1), std::invalid_argument);
  EXPECT_THROW((void)rasterizer_color(kMaxRasterizers), std::invalid_argument);
}

TEST(PatternImage, CellsShowTheirOwners) {
  const Pattern pattern = make_pattern(PatternKind::van_der_corput, 20, 1, 1);
  const PatternImage image = draw_pattern(pattern, {.bins_x = 33, .bins_y = 27, .cell = 8});
  EXPECT_EQ(image.width, 264);
  EXPECT_EQ(image.height, 216);
  for (int y = 0; y < 27; ++y) {
    for (int x = 0; x < 33; ++x) {
      ASSERT_EQ(pixel(image, x * 8, y * 8), rasterizer_color(pattern.at(x, y)));
      ASSERT_EQ(pixel(image, x * 8 + 6, y * 8 + 6), rasterizer_color(pattern.at(x, y)));
      ASSERT_EQ(pixel(image, x * 8 + 7, y * 8 + 3), 0xff202020u);
    }
  }
}

TEST(PatternImage, OnePeriodByDefaultAndNoLinesInSmallCells) {
  const Pattern pattern = make_pattern(PatternKind::x_shift, 20, 1, 1);
  const PatternImage image = draw_pattern(pattern, {.cell = 2});
  EXPECT_EQ(image.width, 40);
  EXPECT_EQ(image.height, 8);
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 40; ++x) ASSERT_EQ(pixel(image, x, y), rasterizer_color(pattern.at(x / 2, y / 2)));
  }
}

TEST(PatternImage, HighlightLeavesOneInColour) {
  const Pattern pattern = make_pattern(PatternKind::hilbert, 7, 16, 16);
  const PatternImage image = draw_pattern(pattern, {.cell = 1, .highlight = true});
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 16; ++x) {
      const uint32_t p = pixel(image, x, y);
      const bool grey = (p & 0xff) == (p >> 8 & 0xff) && (p & 0xff) == (p >> 16 & 0xff);
      ASSERT_EQ(grey, pattern.at(x, y) != 0);
      if (!grey) {
        ASSERT_EQ(p, rasterizer_color(0));
      }
    }
  }
}

TEST(PatternImage, RejectsWhatIsOutOfRange) {
  const Pattern pattern = make_pattern(PatternKind::diagonal, 4, 1, 1);
  EXPECT_THROW((void)draw_pattern(pattern, {.cell = 0}), std::invalid_argument);
  EXPECT_THROW((void)draw_pattern(pattern, {.cell = 257}), std::invalid_argument);
  EXPECT_THROW((void)draw_pattern(pattern, {.bins_x = -1}), std::invalid_argument);
  EXPECT_THROW((void)draw_pattern(pattern, {.bins_y = 5000}), std::invalid_argument);
  EXPECT_THROW((void)draw_pattern(pattern, {.bins_x = 4096, .bins_y = 4096, .cell = 16}), std::invalid_argument);
}

}  // namespace
}  // namespace brokkr
