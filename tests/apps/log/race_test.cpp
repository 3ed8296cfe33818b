// Verdicts about two variants that alternated, for times recorded on a busy computer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "log/frame_statistics.h"
#include "log/machine_facts.h"

namespace brokkr {
namespace {

// Recorded by `brokkr bench scenes/neverball.bkf --ab "" --pairs 60 --json FILE` on two processors while other programs
// started and ended: the same variant twice, 9 to 62 ms.
Race recorded() {
  Race race;
  race.ms[0] = {27.64, 18.20, 47.13, 17.79, 21.44, 20.29, 54.72, 39.62, 36.35, 51.21, 34.39, 30.06,
                40.54, 50.08, 40.48, 46.88, 37.37, 43.99, 43.36, 32.54, 39.27, 58.54, 34.58, 46.13,
                37.02, 48.22, 61.55, 50.80, 39.77, 36.77, 29.38, 43.95, 51.51, 31.34, 37.29, 40.21,
                36.88, 37.05, 33.24, 29.08, 16.54, 33.24, 27.19, 37.81, 27.38, 34.34, 24.68, 32.10,
                32.89, 35.47, 35.62, 20.28, 20.58, 43.33, 19.95, 38.13, 22.21, 38.46, 24.07, 22.09};
  race.ms[1] = {28.01, 26.48, 28.07, 29.75, 42.61, 27.42, 25.76, 23.99, 19.55, 42.16, 49.72, 40.75,
                56.41, 40.12, 50.63, 37.10, 42.50, 28.60, 55.29, 35.98, 45.99, 46.66, 40.55, 34.08,
                40.98, 19.06, 41.36, 41.02, 36.51, 47.27, 59.97, 31.99, 37.26, 37.24, 37.09, 41.33,
                49.47, 34.07, 39.46, 31.63, 51.87, 29.14, 27.48, 39.82, 19.56, 30.60, 26.00, 49.02,
                18.98, 28.69, 21.46, 36.28, 20.33, 19.12, 26.38, 21.12, 37.07, 18.64, 18.69, 35.97};
  race.processor_ms[0] = {13.41, 12.43, 23.94, 13.45, 19.82, 14.05, 26.30, 13.95, 13.36, 26.09, 14.02, 14.18,
                          14.40, 14.17, 14.51, 14.52, 14.22, 14.88, 14.08, 13.92, 13.85, 14.41, 14.67, 14.14,
                          14.87, 14.56, 24.80, 13.71, 13.60, 13.95, 14.02, 14.67, 15.78, 15.09, 14.30, 14.34,
                          14.27, 14.11, 14.07, 13.81, 13.73, 14.95, 14.11, 14.55, 14.00, 13.95, 13.91, 14.11,
                          14.09, 13.89, 13.96, 14.01, 13.67, 13.43, 13.04, 13.32, 13.23, 13.55, 13.05, 12.84};
  race.processor_ms[1] = {12.77, 12.76, 12.77, 13.10, 19.58, 16.37, 14.66, 14.22, 14.35, 26.96, 14.33, 14.94,
                          13.69, 14.58, 13.56, 14.22, 13.68, 14.50, 13.95, 14.04, 14.93, 14.55, 15.08, 14.45,
                          14.10, 12.97, 13.34, 14.07, 14.50, 13.98, 13.58, 14.21, 13.98, 14.54, 13.66, 15.32,
                          13.97, 13.48, 13.68, 13.68, 13.83, 15.19, 14.77, 13.96, 14.12, 14.02, 13.75, 13.67,
                          13.65, 13.63, 14.09, 13.88, 13.40, 12.85, 12.86, 12.69, 13.08, 13.00, 12.84, 13.04};
  race.turn = 5;
  return race;
}

Race scaled(Race race, double a, double b) {
  for (double& ms : race.ms[0]) ms *= a;
  for (double& ms : race.ms[1]) ms *= b;
  return race;
}

MachineLoad quiet() {
  return {.wall_s = 4, .cores = 2, .program_cores = 1.9, .load_before = 0.3, .load_after = 1, .others = 0.01};
}

MachineLoad busy() {
  return {.wall_s = 4, .cores = 2, .program_cores = 0.8, .load_before = 2.5, .load_after = 3, .others = 0.6};
}

TEST(Race, EqualVariantsUnderAChangingLoad) {
  const Race race = recorded();
  EXPECT_EQ(verdict(race_ratio(race)), Verdict::no_difference);
  EXPECT_STREQ(verdict_text(verdict(race_ratio(race))), "not significant");
  // The same frames as if the variants had run one after the other: then even an interval is wrong.
  const std::vector<double>& a = race.ms[0];
  const RatioEstimate apart = ratio_of_medians({a.begin() + 5, a.begin() + 35}, {a.begin() + 40, a.end()});
  EXPECT_GT(apart.low, 1);
}

TEST(Race, TrueFactors) {
  EXPECT_STREQ(verdict_text(verdict(race_ratio(scaled(recorded(), 1, 0.5)))), "B is faster");
  EXPECT_STREQ(verdict_text(verdict(race_ratio(scaled(recorded(), 0.5, 1)))), "A is faster");
  const RatioEstimate r = race_ratio(scaled(recorded(), 2, 1)), same = race_ratio(recorded());
  EXPECT_DOUBLE_EQ(r.ratio, 2 * same.ratio);
  EXPECT_TRUE(r.low < 2 && 2 < r.high);
}

// One of two equal renderers is slower for a while, because a program took its processor; coins decide which of them
// draws A. In this many comparisons, "faster" may be reported at most in one of twenty, or 5 %.
TEST(Race, ARendererThatIsSlowForAWhileIsNoVariant) {
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> noise(0, 0.05);
  std::bernoulli_distribution coin;
  std::array<int, 2> wrong{};
  constexpr int kTries = 1000;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    Race race;
    size_t roles = 0, slow = 0;
    for (size_t pair = 0; pair < 100; ++pair) {
      if (pair % 5 == 0) roles = coin(random);
      if (pair % 30 == 0) slow = coin(random);
      for (size_t i = 0; i < 2; ++i) race.ms[i].push_back(((i ^ roles) == slow ? 12 : 10) * noise(random));
    }
    for (const size_t turn : {1u, 5u}) {
      race.turn = turn;
      wrong[turn == 5] += verdict(race_ratio(race)) != Verdict::no_difference;
    }
  }
  EXPECT_LE(wrong[1], kTries * 7 / 100);
  EXPECT_GT(wrong[0], kTries * 20 / 100) << "pairs of one turn, taken as independent, would have done";
}

TEST(Race, FewPairsSayNothing) {
  Race race = recorded();
  for (size_t i = 0; i < 2; ++i) race.ms[i].resize(25);  // five turns
  EXPECT_STREQ(verdict_text(verdict(race_ratio(race))), "too few pairs");
  EXPECT_EQ(ratio_text(race_ratio(race)).find('('), std::string::npos);
  EXPECT_EQ(verdict(race_ratio({})), Verdict::too_few);
  EXPECT_EQ(ratio_text({1.25, 1.125, 1.5, 0.95, 20}), "A / B = 1.2500 (1.1250 to 1.5000, 95 % confidence)");
  // A last turn with fewer pairs also counts.
  race.ms = {std::vector<double>(26, 3.0), std::vector<double>(26, 2.0)};
  EXPECT_EQ(race_ratio(race).frames, 6u);
  EXPECT_EQ(verdict(race_ratio(race)), Verdict::b_faster);
}

TEST(Outliers, LieFarOut) {
  std::vector<double> ms = {10, 11, 12, 13, 14};  // quartiles 11 and 13: the limit is 19
  EXPECT_EQ(outliers(ms), 0u);
  ms = {10, 11, 12, 13, 14, 10, 11, 12, 13, 14, 500};
  EXPECT_EQ(outliers(ms), 1u);
  EXPECT_EQ(outliers({}), 0u);
}

TEST(Interrupted, FramesWithoutTheProcessors) {
  const std::vector<double> ms(20, 10);
  std::vector<double> processor(20, 19);
  EXPECT_EQ(interrupted(ms, processor), 0u);
  processor[3] = processor[9] = 11;
  EXPECT_EQ(interrupted(ms, processor), 2u);
  EXPECT_EQ(interrupted(ms, {}), 0u);
  EXPECT_EQ(interrupted(std::vector<double>(20, 0.1), processor), 0u) << "threads that wake decide about short frames";
  const Race race = recorded();
  EXPECT_GT(interrupted(race.ms[0], race.processor_ms[0]), race.ms[0].size() / 4);
}

TEST(RaceWarnings, NameLoadAndOutliers) {
  Race calm;
  calm.ms = {std::vector<double>(40, 10), std::vector<double>(40, 10)};
  EXPECT_TRUE(race_warnings(calm, quiet()).empty());
  const auto said = [](const std::vector<std::string>& warnings, const std::string& words) {
    return std::any_of(warnings.begin(), warnings.end(),
                       [&](const std::string& w) { return w.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(said(race_warnings(calm, busy()), "other programs took 60 % of the 2 processors"));
  EXPECT_TRUE(said(race_warnings(calm, busy()), "load average was 2.5"));
  EXPECT_TRUE(said(race_warnings(recorded(), quiet()), "other programs used the processors during"));
  MachineLoad unknown = quiet();
  unknown.others.reset();
  EXPECT_TRUE(said(race_warnings(calm, unknown), "it is unknown"));
  for (size_t i = 0; i < 4; ++i) calm.ms[1][i] = 90;
  EXPECT_TRUE(said(race_warnings(calm, quiet()), "4 of 40 times of B"));
  EXPECT_FALSE(said(race_warnings(calm, quiet()), "times of A"));
}

TEST(MachineLoad, DifferenceOfTwoRuns) {
  EXPECT_EQ(load_difference(quiet(), quiet()), "");
  EXPECT_NE(load_difference(quiet(), busy()).find("1 % of the processors before and 60 % after"), std::string::npos);
  EXPECT_NE(load_difference(busy(), busy()).find("was loaded"), std::string::npos);
  EXPECT_NE(load_difference(quiet(), std::nullopt).find("it is unknown"), std::string::npos);
  MachineLoad unknown = quiet();
  unknown.others.reset();
  EXPECT_NE(load_difference(unknown, quiet()).find("it is unknown"), std::string::npos);
}

TEST(MachineLoad, JsonKeepsIt) {
  const auto again = load_of_json(load_json(busy()));
  ASSERT_TRUE(again && again->others);
  EXPECT_EQ(*again->others, *busy().others);
  EXPECT_EQ(again->program_cores, busy().program_cores);
  EXPECT_EQ(again->cores, 2);
  MachineLoad unknown = quiet();
  unknown.others.reset();
  EXPECT_FALSE(load_of_json(load_json(unknown))->others);
  EXPECT_FALSE(load_of_json(nullptr));
  EXPECT_FALSE(load_of_json({{"cores", "two"}}));
}

TEST(LoadWatch, CountsThisProgramsProcessorTime) {
  LoadWatch watch;
  const double before = processor_seconds();
  watch.begin();
  volatile double sum = 0;
  while (processor_seconds() - before < 0.3) sum = sum + std::sqrt(sum + 1);
  watch.end();
  const MachineLoad load = watch.load();
  EXPECT_GE(load.program_cores * load.wall_s, 0.29);
  EXPECT_GT(load.cores, 0);
  if (load.others) {
    EXPECT_LE(*load.others + load.program_cores / load.cores, 1.1);
  }
}

}  // namespace
}  // namespace brokkr
