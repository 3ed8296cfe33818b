#include "bin/pattern_image.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace brokkr {
namespace {

TEST(Load, StatisticsByHand) {
  const LoadStatistics s = load_statistics({2, 4, 4, 4, 5, 5, 7, 9});  // mean 5, variance 32 / 8
  EXPECT_EQ(s.total, 40u);
  EXPECT_EQ(s.min_load, 2u);
  EXPECT_EQ(s.max_load, 9u);
  EXPECT_DOUBLE_EQ(s.mean, 5);
  EXPECT_DOUBLE_EQ(s.deviation, 2);
  EXPECT_DOUBLE_EQ(s.cv, 0.4);
  EXPECT_DOUBLE_EQ(s.imbalance, 1.8);
}

TEST(Load, EdgeCases) {
  EXPECT_EQ(load_statistics(std::vector<uint64_t>{}).cv, 0);
  EXPECT_EQ(load_statistics({0, 0, 0}).cv, 0);
  EXPECT_EQ(load_statistics({7}).cv, 0);
  EXPECT_DOUBLE_EQ(load_statistics({10, 0}).cv, 1);
  // Large equal loads: no cancellation of digits.
  EXPECT_EQ(load_statistics(std::vector<uint64_t>(100, uint64_t(1) << 52)).cv, 0);
}

TEST(Load, BinsGoToTheirOwners) {
  const Pattern pattern = make_pattern(PatternKind::diagonal, 3, 4, 2);
  const LoadStatistics s = load_statistics(pattern, {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000}, 4, 2);
  // Row 0 belongs to 0 1 2 0, row 1 to 1 2 0 1.
  EXPECT_EQ(s.load, (std::vector<uint64_t>{1001 + 1000000, 10 + 10000 + 10000000, 100 + 100000}));
  EXPECT_THROW((void)load_statistics(pattern, {1, 2, 3}, 4, 2), std::invalid_argument);
  EXPECT_THROW((void)load_statistics(pattern, {}, -1, 0), std::invalid_argument);
}

// The findings of [Kerbl17] on a synthetic load: a horizon, dense in a few rows of bins and clustered around one point.
// The diagonal repeats a rasterizer along a line, van der Corput spreads it.
TEST(Load, VanDerCorputBeatsTheDiagonalOnClusters) {
  constexpr int kBinsX = 30, kBinsY = 17;
  double diagonal = 0, corput = 0;
  for (int cluster = 0; cluster < kBinsX; ++cluster) {
    std::vector<uint64_t> load;
    for (int y = 0; y < kBinsY; ++y) {
      for (int x = 0; x < kBinsX; ++x) {
        const double d = std::hypot(x - cluster, y - 8);
        load.push_back(uint64_t(100 + 4000 * std::exp(-d * d / 12) + (y == 7 ? 500 : 0)));
      }
    }
    diagonal += load_statistics(make_pattern(PatternKind::diagonal, 20, kBinsX, kBinsY), load, kBinsX, kBinsY).cv;
    corput += load_statistics(make_pattern(PatternKind::van_der_corput, 20, kBinsX, kBinsY), load, kBinsX, kBinsY).cv;
  }
  EXPECT_LT(corput, 0.7 * diagonal);
}

}  // namespace
}  // namespace brokkr
