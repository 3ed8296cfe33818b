// Properties of every pattern: names, ranges, determinism, table size, equal shares.
#include "brokkr/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <stdexcept>
#include <string>

namespace brokkr {
namespace {

const int kCounts[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 16, 20, 31, 60, 64, 100, 127, 128, 132, 1000};

std::vector<int> bins_per_rasterizer(const Pattern& pattern) {
  std::vector<int> share(size_t(pattern.rasterizers), 0);
  for (const uint16_t owner : pattern.owner) ++share[owner];
  return share;
}

TEST(Pattern, NamesRoundTrip) {
  std::set<std::string> names;
  std::set<PatternKind> kinds;
  for (const auto& info : Choices<PatternKind>::all) {
    EXPECT_EQ(choose_pattern(info.name), PatternChoice(info.value));
    EXPECT_EQ(pattern_name(info.value), info.name);
    EXPECT_GT(std::string(info.meaning).size(), 10u);
    names.insert(info.name);
    kinds.insert(info.value);
  }
  EXPECT_EQ(names.size(), 11u);
  EXPECT_EQ(kinds.size(), 11u);
}

TEST(Pattern, UnknownNameListsTheKnownOnes) {
  try {
    (void)choose_pattern("spiral");
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("spiral"), std::string::npos);
    for (const auto& info : Choices<PatternKind>::all) EXPECT_NE(message.find(info.name), std::string::npos);
  }
  EXPECT_THROW((void)choose_pattern(""), std::invalid_argument);
}

TEST(Pattern, RejectsWhatIsOutOfRange) {
  for (const auto& info : Choices<PatternKind>::all) {
    EXPECT_THROW((void)make_pattern(info.value, 0, 8, 8), std::invalid_argument);
    EXPECT_THROW((void)make_pattern(info.value, -1, 8, 8), std::invalid_argument);
    EXPECT_THROW((void)make_pattern(info.value, kMaxRasterizers + 1, 8, 8), std::invalid_argument);
    EXPECT_THROW((void)make_pattern(info.value, 4, 0, 8), std::invalid_argument);
    EXPECT_THROW((void)make_pattern(info.value, 4, 8, 0), std::invalid_argument);
    EXPECT_THROW((void)make_pattern(info.value, 4, kMaxPatternBins + 1, 8), std::invalid_argument);
    EXPECT_THROW((void)make_pattern(info.value, 4, 8, kMaxPatternBins + 1), std::invalid_argument);
  }
  EXPECT_THROW((void)make_pattern(PatternKind(200), 4, 8, 8), std::invalid_argument);
}

TEST(Pattern, TableIsWholeAndOwnersAreRasterizers) {
  for (const auto& info : Choices<PatternKind>::all) {
    for (const int n : kCounts) {
      const Pattern pattern = make_pattern(info.value, n, 30, 17);
      EXPECT_EQ(pattern.rasterizers, n);
      ASSERT_EQ(pattern.owner.size(), size_t(pattern.width) * size_t(pattern.height));
      EXPECT_LT(*std::max_element(pattern.owner.begin(), pattern.owner.end()), n) << info.name << " " << n;
      // `at` wraps by the table's own size.
      EXPECT_EQ(pattern.at(pattern.width * 3, pattern.height * 2), pattern.at(0, 0));
      EXPECT_EQ(pattern.at(pattern.width - 1, pattern.height * 5 - 1), pattern.owner.back());
    }
  }
}

TEST(Pattern, RepeatingTilesShareEqually) {
  for (const auto& info : Choices<PatternKind>::all) {
    if (info.value == PatternKind::z_curve || info.value == PatternKind::hilbert ||
        info.value == PatternKind::pseudo_random) {
      continue;  // [Kerbl17] promises nothing for these
    }
    for (const int n : kCounts) {
      const std::vector<int> share = bins_per_rasterizer(make_pattern(info.value, n, 30, 17));
      const auto [low, high] = std::minmax_element(share.begin(), share.end());
      const bool cut = info.value == PatternKind::hierarchical_maximized_distance && n > 128;
      EXPECT_LE(*high - *low, cut ? 1 : 0) << info.name << " " << n;
      EXPECT_GE(*low, 1) << info.name << " " << n;
    }
  }
}

TEST(Pattern, SameSeedSamePattern) {
  for (const auto& info : Choices<PatternKind>::all) {
    const Pattern first = make_pattern(info.value, 24, 40, 30, 7), again = make_pattern(info.value, 24, 40, 30, 7);
    const Pattern other = make_pattern(info.value, 24, 40, 30, 8);
    EXPECT_EQ(first.owner, again.owner) << info.name;
    const bool random = info.value == PatternKind::pseudo_random || info.value == PatternKind::sudoku ||
                        info.value == PatternKind::hierarchical_maximized_distance;
    EXPECT_EQ(first.owner != other.owner, random) << info.name;
  }
}

TEST(Pattern, LargestCountIsQuickAndBounded) {
  for (const auto& info : Choices<PatternKind>::all) {
    const std::clock_t begin = std::clock();  // time of this process only
    const Pattern pattern = make_pattern(info.value, kMaxRasterizers, 512, 512);
    const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
    EXPECT_LT(seconds, 20) << info.name;  // under 0.2 s in release; sanitizers are slower
    EXPECT_LE(pattern.owner.size(), size_t(4096) * 4096) << info.name;
    if (info.value != PatternKind::pseudo_random) {  // rasterizers with work on a 512 x 512 plane
      std::vector<bool> seen(size_t(kMaxRasterizers), false);
      for (int y = 0; y < 512; ++y) {
        for (int x = 0; x < 512; ++x) seen[size_t(pattern.at(x, y))] = true;
      }
      // 512 rows of the diagonal shift by at most 511, those of the G80's map by at most 1022, so some rasterizers have
      // no bin.
      const int reached = info.value == PatternKind::diagonal ? 1023 : info.value == PatternKind::g80 ? 1534 : 4096;
      EXPECT_EQ(std::count(seen.begin(), seen.end(), true), reached) << info.name;
    }
  }
}

}  // namespace
}  // namespace brokkr
