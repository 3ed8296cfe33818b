// Compares pictures with those of a game's own driver: decibels with and without flipped pixels, fractions, limits.
#include "inspect/image_compare.h"

#include <gtest/gtest.h>

#include <cmath>

namespace brokkr::test {
namespace {

uint32_t grey(uint32_t value) { return 0xff000000u | value * 0x010101u; }

TEST(ColorCompare, EqualPicturesAreInfinitelyClose) {
  const std::vector<uint32_t> picture(100, grey(40));
  std::vector<uint32_t> clear = picture;
  for (uint32_t& pixel : clear) pixel &= 0x00ffffffu;  // alpha is not compared
  const ColorComparison c = compare_colors(picture, clear);
  EXPECT_TRUE(std::isinf(c.psnr_db));
  EXPECT_TRUE(std::isinf(c.kept_db));
  EXPECT_EQ(c.within_2, 100u);
  EXPECT_EQ(c.flips(), 0u);
  EXPECT_TRUE(is_close(c, ColorLimits::exact));
}

TEST(ColorCompare, FlipsAreCountedAndLeftOut) {
  const std::vector<uint32_t> reference(1000, grey(100));
  std::vector<uint32_t> ours = reference;
  ours[0] = grey(102);
  ours[1] = grey(104);
  ours[2] = grey(116);
  ours[3] = grey(117);
  ours[4] = 0xff000000u | 100u << 16 | 100u << 8 | 200u;  // one channel is enough
  const ColorComparison c = compare_colors(ours, reference);
  EXPECT_EQ(c.within_2, 996u);
  EXPECT_EQ(c.within_4, 997u);
  EXPECT_EQ(c.within_16, 998u);
  EXPECT_EQ(c.flips(), 2u);
  EXPECT_EQ(c.max_difference, 100);
  const double kept = 3 * (2 * 2 + 4 * 4 + 16 * 16), all = kept + 3 * 17 * 17 + 100 * 100;
  EXPECT_NEAR(c.psnr_db, 10 * std::log10(255.0 * 255 * 3 * 1000 / all), 1e-9);
  EXPECT_NEAR(c.kept_db, 10 * std::log10(255.0 * 255 * 3 * 998 / kept), 1e-9);
}

TEST(ColorCompare, LimitsDependOnTheDriver) {
  Frame frame;
  frame.generator = "brokkr capture, llvmpipe";
  EXPECT_EQ(limits_of(frame), ColorLimits::driver);
  frame.generator += ", no_brilinear,no_rho_approx,no_quad_lod,no_aos_sampling";
  EXPECT_EQ(limits_of(frame), ColorLimits::exact);
  // 1 % of the pixels are off by 4: too many for ColorLimits::exact, few enough for a driver's own filters.
  const std::vector<uint32_t> reference(1000, grey(100));
  std::vector<uint32_t> ours = reference;
  for (size_t i = 0; i < 10; ++i) ours[i] = grey(104);
  EXPECT_FALSE(is_close(compare_colors(ours, reference), ColorLimits::exact));
  EXPECT_TRUE(is_close(compare_colors(ours, reference), ColorLimits::driver));
  for (size_t i = 0; i < 6; ++i) ours[i] = grey(200);
  EXPECT_FALSE(is_close(compare_colors(ours, reference), ColorLimits::driver));
  // A picture in which every pixel flips is not close.
  EXPECT_FALSE(is_close(compare_colors(std::vector<uint32_t>(10, grey(0)), std::vector<uint32_t>(10, grey(99))),
                        ColorLimits::exact));
}

TEST(ColorCompare, SideBySideKeepsRowsTogether) {
  const std::vector<uint32_t> ours = {grey(1), grey(2), grey(3), grey(4)};
  const std::vector<uint32_t> reference = {grey(1), grey(4), grey(3), grey(4)};
  const std::vector<uint32_t> wanted = {grey(1), grey(2), grey(1), grey(4), grey(0), grey(16),
                                        grey(3), grey(4), grey(3), grey(4), grey(0), grey(0)};
  EXPECT_EQ(side_by_side(2, ours, reference, 8), wanted);
}

}  // namespace
}  // namespace brokkr::test
