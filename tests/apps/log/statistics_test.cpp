// Compares numbers with values computed by hand or by NumPy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "log/frame_statistics.h"
#include "log/text.h"

namespace brokkr {
namespace {

TEST(Quantile, InterpolatesAsNumPy) {
  const std::vector<double> v = {1, 2, 4, 8, 16};  // numpy.percentile(v, [0, 10, 50, 95, 100])
  EXPECT_DOUBLE_EQ(quantile(v, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(v, 0.1), 1.4);
  EXPECT_DOUBLE_EQ(quantile(v, 0.5), 4);
  EXPECT_DOUBLE_EQ(quantile(v, 0.95), 14.4);
  EXPECT_DOUBLE_EQ(quantile(v, 1), 16);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{7}, 0.99), 7);
}

TEST(FrameStatistics, MedianOfAnyOrder) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({9, 1, 4}), 4);
  EXPECT_EQ(median({8, 1, 4, 2}), 3);
}

TEST(NumberText, RoundsAndKeepsWhatIsNotFinite) {
  EXPECT_EQ(fixed(12.345, 1), "12.3");
  EXPECT_EQ(fixed(-0.5, 0), "-0");
  EXPECT_EQ(fixed(1e22, 0), "10000000000000000000000");
  EXPECT_EQ(significant(12.345, 4), "12.35");
  EXPECT_EQ(significant(0.04, 4), "0.04");
  EXPECT_EQ(significant(1e-6, 4), "1e-06");
  EXPECT_EQ(fixed(std::numeric_limits<double>::infinity(), 2), "inf");
}

TEST(FrameStatistics, OfAThousandAndOneFrames) {
  std::vector<double> ms(1001);
  for (size_t i = 0; i < ms.size(); ++i) ms[i] = double((i * 389) % 1001);  // 0 .. 1000 in disorder
  const FrameStatistics s = frame_statistics(ms);
  EXPECT_EQ(s.frames, 1001u);
  EXPECT_DOUBLE_EQ(s.mean_ms, 500);
  EXPECT_DOUBLE_EQ(s.median_ms, 500);
  EXPECT_DOUBLE_EQ(s.p95_ms, 950);
  EXPECT_DOUBLE_EQ(s.p99_ms, 990);
  EXPECT_DOUBLE_EQ(s.p999_ms, 999);
  EXPECT_DOUBLE_EQ(s.min_ms, 0);
  EXPECT_DOUBLE_EQ(s.max_ms, 1000);
  // The slowest ceil(1001 / 100) = 11 frames took 990 to 1000 ms.
  EXPECT_DOUBLE_EQ(s.one_percent_low_fps, 1000.0 / 995);
}

TEST(FrameStatistics, OfFewFrames) {
  EXPECT_EQ(frame_statistics({}).frames, 0u);
  const FrameStatistics one = frame_statistics({20});
  EXPECT_DOUBLE_EQ(one.median_ms, 20);
  EXPECT_DOUBLE_EQ(one.p999_ms, 20);
  EXPECT_DOUBLE_EQ(one.one_percent_low_fps, 50);
  EXPECT_DOUBLE_EQ(frame_statistics({0, 0}).one_percent_low_fps, 0);
}

TEST(PairedRatio, MedianAndOrderStatistics) {
  // Ratios 1 .. 20. Of 20 fair coins at most 5 show heads with probability 0.0207, at most 6 with 0.0577: the 6th value
  // from either end.
  std::vector<double> a, b(20, 2);
  for (int i = 20; i > 0; --i) a.push_back(2.0 * i);
  const RatioEstimate r = paired_ratio(a, b);
  EXPECT_DOUBLE_EQ(r.ratio, 10.5);
  EXPECT_DOUBLE_EQ(r.low, 6);
  EXPECT_DOUBLE_EQ(r.high, 15);
  EXPECT_EQ(r.frames, 20u);
}

TEST(PairedRatio, FewPairsSayNothingAndBadOnesAreLeftOut) {
  const std::vector<double> five(5, 2), ones(5, 1);
  const RatioEstimate r = paired_ratio(five, ones);
  EXPECT_DOUBLE_EQ(r.ratio, 2);
  EXPECT_DOUBLE_EQ(r.low, 0);
  EXPECT_TRUE(std::isinf(r.high));
  const std::vector<double> bad = {2, 0, -1, NAN, 2, 2, 2, 2, 2}, good(9, 1);
  EXPECT_EQ(paired_ratio(bad, good).frames, 6u);
  EXPECT_DOUBLE_EQ(paired_ratio(bad, good).low, 2);  // six pairs are the fewest for 95 %
  EXPECT_EQ(paired_ratio({}, {}).frames, 0u);
}

// Skewed times with a common drift; the true ratio is 1.25. A 95 % interval must contain it in about 95 of 100 trials.
TEST(PairedRatio, IntervalHoldsTheTruthAsOftenAsItSays) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> noise(0, 0.1);
  int held = 0;
  constexpr int kTries = 2000;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    std::vector<double> a(41), b(41);
    for (size_t i = 0; i < a.size(); ++i) {
      const double drift = 10 + double(i);
      a[i] = 1.25 * drift * noise(random);
      b[i] = drift * noise(random);
    }
    const RatioEstimate r = paired_ratio(a, b);
    EXPECT_LE(r.low, r.ratio);
    EXPECT_LE(r.ratio, r.high);
    held += r.low <= 1.25 && 1.25 <= r.high;
  }
  EXPECT_GE(held, kTries * 94 / 100);
  EXPECT_LE(held, kTries * 99 / 100);
}

TEST(RatioOfMedians, IntervalHoldsTheTruthAsOftenAsItSays) {
  std::mt19937_64 random(11);
  std::lognormal_distribution<double> noise(0, 0.2);
  int held = 0;
  constexpr int kTries = 200;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    std::vector<double> a(150), b(90);
    for (double& ms : a) ms = 8 * noise(random);
    for (double& ms : b) ms = 10 * noise(random);
    const RatioEstimate r = ratio_of_medians(a, b);
    EXPECT_LT(r.low, r.ratio);
    EXPECT_GT(r.high, r.ratio);
    held += r.low <= 0.8 && 0.8 <= r.high;
  }
  EXPECT_GE(held, kTries * 91 / 100);
  EXPECT_LE(held, kTries * 99 / 100);
}

TEST(RatioOfMedians, SameTimesAreAlike) {
  const std::vector<double> same(100, 5.0);
  const RatioEstimate r = ratio_of_medians(same, same);
  EXPECT_DOUBLE_EQ(r.ratio, 1);
  EXPECT_DOUBLE_EQ(r.low, 1);
  EXPECT_DOUBLE_EQ(r.high, 1);
  EXPECT_TRUE(std::isinf(ratio_of_medians(std::vector<double>{1, 2}, same).high));
}

}  // namespace
}  // namespace brokkr
