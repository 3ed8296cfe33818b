// The randomised patterns: the generator that [Kerbl17] names, uniformity, and distance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "brokkr/pattern.h"

namespace brokkr {
namespace {

TEST(PatternRandom, PseudoRandomIsTheMersenneTwister) {
  for (const int n : {1, 3, 6, 20, 64, 1000, 4095}) {
    const Pattern p = make_pattern(PatternKind::pseudo_random, n, 50, 40, 42);
    ASSERT_EQ(p.width, 50);
    ASSERT_EQ(p.height, 40);
    std::mt19937 twister(42);
    for (int y = 0; y < 40; ++y) {
      for (int x = 0; x < 50; ++x) {
        // Draws beyond the last whole multiple of n would favour small numbers, and are drawn again.
        double draw = double(twister());
        while (draw >= std::floor(4294967296.0 / n) * n) draw = double(twister());
        ASSERT_EQ(p.at(x, y), int(std::fmod(draw, n)));
      }
    }
  }
}

// The 10000th output of a default-seeded MT19937 is fixed by the standard: 4123659995.
TEST(PatternRandom, PseudoRandomKnownDraw) {
  const Pattern p = make_pattern(PatternKind::pseudo_random, 4096, 100, 100, 5489);
  EXPECT_EQ(p.at(99, 99), int(4123659995u % 4096));
}

TEST(PatternRandom, PseudoRandomIsUniform) {
  const int n = 20, side = 400;
  const Pattern p = make_pattern(PatternKind::pseudo_random, n, side, side);
  std::vector<double> share(size_t(n), 0);
  for (const uint16_t owner : p.owner) share[owner] += 1;
  double chi_squared = 0;
  const double expected = double(side) * side / n;
  for (const double s : share) chi_squared += (s - expected) * (s - expected) / expected;
  EXPECT_LT(chi_squared, 43.8);  // 0.999 quantile for 19 degrees of freedom
}

// Mean over all bins of the distance to the nearest other bin of the same rasterizer, tile repeated.
double mean_nearest_distance(const Pattern& p) {
  double sum = 0;
  for (int y = 0; y < p.height; ++y) {
    for (int x = 0; x < p.width; ++x) {
      double nearest = std::numeric_limits<double>::max();
      for (int v = 0; v < p.height; ++v) {
        for (int u = 0; u < p.width; ++u) {
          if ((u == x && v == y) || p.at(u, v) != p.at(x, y)) continue;
          const int ax = std::abs(u - x), ay = std::abs(v - y);
          nearest = std::min(nearest, std::hypot(std::min(ax, p.width - ax), std::min(ay, p.height - ay)));
        }
      }
      sum += nearest;
    }
  }
  return sum / double(p.width * p.height);
}

TEST(PatternRandom, MaximizedDistanceBeatsRandomAndDiagonal) {
  for (const int n : {8, 13, 20, 30}) {
    const double maximized = mean_nearest_distance(make_pattern(PatternKind::hierarchical_maximized_distance, n, 1, 1));
    const double random = mean_nearest_distance(make_pattern(PatternKind::pseudo_random, n, n, n));
    EXPECT_GT(maximized, 1.25 * random) << "N " << n;
    EXPECT_GT(maximized, std::sqrt(2.0)) << "N " << n;  // the diagonal's distance
  }
}

// Tiles repeat: bins of one rasterizer are as far apart across a tile's border as inside it.
TEST(PatternRandom, MaximizedDistanceGoesAcrossBorders) {
  int across_right = 0, across_top = 0, inside = 0;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    constexpr int kSide = 16;
    const Pattern p = make_pattern(PatternKind::hierarchical_maximized_distance, kSide, 1, 1, seed);
    const auto are_one = [&](int x, int y, int dx, int dy) { return p.at(x, y) == p.at(x + dx, y + dy); };
    for (int i = 0; i < kSide; ++i) {
      for (int d = -1; d <= 1; ++d) {
        across_right += are_one(kSide - 1, kSide + i, 1, d);
        across_top += are_one(kSide + i, kSide - 1, d, 1);
        inside += are_one(kSide / 2, kSide + i, 1, d) + are_one(kSide + i, kSide / 2, d, 1);
      }
    }
  }
  EXPECT_LE(across_right, inside);
  EXPECT_LE(across_top, inside);
}

TEST(PatternRandom, MaximizedDistanceFillsNByNEqually) {
  for (const int n : {1, 2, 3, 7, 16, 60, 97, 128}) {
    const Pattern p = make_pattern(PatternKind::hierarchical_maximized_distance, n, 1, 1, 3);
    EXPECT_EQ(p.width, n);
    EXPECT_EQ(p.height, n);
    std::vector<int> share(size_t(n), 0);
    for (const uint16_t owner : p.owner) ++share[owner];
    for (const int s : share) EXPECT_EQ(s, n);
  }
}

TEST(PatternRandom, MaximizedDistanceIsBoundedBeyondThat) {
  for (const int n : {129, 132, 256, 509, 1056, 4093, 4096}) {
    const Pattern p = make_pattern(PatternKind::hierarchical_maximized_distance, n, 1, 1, 3);
    EXPECT_LE(p.width, 310);
    EXPECT_EQ(p.width, p.height);
    std::vector<int> share(size_t(n), 0);
    for (const uint16_t owner : p.owner) ++share[owner];
    const auto [low, high] = std::minmax_element(share.begin(), share.end());
    EXPECT_GE(*low, 12) << "N " << n;
    EXPECT_LE(*high - *low, p.width * p.width % n == 0 ? 0 : 1) << "N " << n;
  }
}

}  // namespace
}  // namespace brokkr
