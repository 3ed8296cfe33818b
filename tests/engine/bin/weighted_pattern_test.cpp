// Patterns for owners of unequal strength.
#include "bin/weighted_pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "bin/pattern_image.h"

namespace brokkr {
namespace {

using Weights = std::vector<int>;

TEST(WeightedPattern, EveryRowHasEachOwnerAsOftenAsItsWeightSays) {
  std::mt19937 random(3);
  std::vector<Weights> cases = {{1}, {7}, {1, 1, 1}, {5, 5, 5, 5, 4, 4}, {1, 60}};
  for (int i = 0; i < 40; ++i) {
    Weights weights(1 + random() % 9);
    for (int& weight : weights) weight = 1 + int(random() % 12);
    cases.push_back(weights);
  }
  for (const Weights& weights : cases) {
    const int sum = std::accumulate(weights.begin(), weights.end(), 0);
    for (const PatternKind kind : {PatternKind::diagonal, PatternKind::van_der_corput, PatternKind::x_shift_offset}) {
      const Pattern p = weighted_pattern(make_pattern(kind, sum, 4, 4), weights);
      check_pattern(p);
      ASSERT_EQ(p.rasterizers, int(weights.size()));
      for (int y = 0; y < p.height; ++y) {
        Weights seen(weights.size());
        for (int x = 0; x < sum; ++x) ++seen[size_t(p.at(x, y))];
        EXPECT_EQ(seen, weights);
      }
    }
  }
}

TEST(WeightedPattern, EqualWeightsAreThePatternItself) {
  const Pattern units = make_pattern(PatternKind::van_der_corput, 12, 4, 4);
  EXPECT_EQ(weighted_pattern(units, Weights(12, 1)).owner, units.owner);
}

// An owner's parts are spread: between two of them lie at most as many others as its weight asks for, and one for each
// owner more.
TEST(WeightedPattern, PartsAreSpread) {
  for (const Weights& weights : {Weights{5, 5, 5, 5, 4, 4}, Weights{8, 1, 1}, Weights{3, 2}, Weights{9, 5, 2, 2}}) {
    const std::vector<uint16_t> owner = hand_out_parts(weights);
    const int sum = int(owner.size());
    for (size_t i = 0; i < weights.size(); ++i) {
      int last = -1, longest = 0;
      for (int place = 0; place < 2 * sum; ++place) {
        if (owner[size_t(place % sum)] != i) continue;
        if (last >= 0) longest = std::max(longest, place - last);
        last = place;
      }
      EXPECT_LE(longest, sum / weights[i] + int(weights.size())) << i;
    }
  }
}

TEST(WeightedPattern, RefusesOtherWeights) {
  const Pattern units = make_pattern(PatternKind::diagonal, 10, 4, 4);
  EXPECT_THROW(weighted_pattern(units, Weights{5, 4}), std::invalid_argument);
  EXPECT_THROW(weighted_pattern(units, Weights{10, 0}), std::invalid_argument);
  EXPECT_THROW(weighted_pattern(units, Weights{}), std::invalid_argument);
  EXPECT_THROW(weighted_pattern(units, Weights{5000}), std::invalid_argument);
}

// Loads per weight are as even as the units' loads are on clustered work, where an equal pattern is off by the weights.
TEST(WeightedPattern, LoadsFollowTheWeights) {
  const Weights weights = {3, 2, 1};
  std::vector<uint64_t> load(size_t(90) * 60);
  for (int y = 0; y < 60; ++y) {
    for (int x = 0; x < 90; ++x) load[size_t(y) * 90 + size_t(x)] = uint64_t(1 + (x / 7 * y / 5) % 11);
  }
  const Pattern weighted = weighted_pattern(make_pattern(PatternKind::van_der_corput, 6, 4, 4), weights);
  const LoadStatistics s = load_statistics(weighted, load, 90, 60);
  for (size_t i = 0; i < weights.size(); ++i)
    EXPECT_NEAR(double(s.load[i]) / double(s.total), weights[i] / 6.0, 0.01) << i;
}

}  // namespace
}  // namespace brokkr
