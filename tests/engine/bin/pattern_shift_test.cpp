// Compares the shift patterns with formulas derived independently from [Kerbl17], and checks the properties that it
// states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "brokkr/pattern.h"

namespace brokkr {
namespace {

// Largest k with k * k <= n, by search.
int floor_sqrt(int n) {
  int k = 0;
  while ((k + 1) * (k + 1) <= n) ++k;
  return k;
}

bool each_once_per_row(const Pattern& p) {
  for (int y = 0; y < p.height; ++y) {
    std::set<int> seen;
    for (int x = 0; x < p.rasterizers; ++x) seen.insert(p.at(x, y));
    if (int(seen.size()) != p.rasterizers) return false;
  }
  return true;
}

bool each_once_per_column(const Pattern& p) {
  for (int x = 0; x < p.width; ++x) {
    std::set<int> seen;
    for (int y = 0; y < p.rasterizers; ++y) seen.insert(p.at(x, y));
    if (int(seen.size()) != p.rasterizers) return false;
  }
  return true;
}

TEST(PatternShift, Diagonal) {
  for (int n = 1; n <= 70; ++n) {
    const Pattern p = make_pattern(PatternKind::diagonal, n, 4, 4);
    for (int y = 0; y < 2 * n; ++y) {
      for (int x = 0; x < 2 * n; ++x) ASSERT_EQ(p.at(x, y), (x + y) % n);
    }
    EXPECT_TRUE(each_once_per_row(p) && each_once_per_column(p));
  }
}

TEST(PatternShift, XShiftFollowsItsFormulaAndRepeatsAfterKRows) {
  for (int n = 1; n <= 150; ++n) {
    const Pattern p = make_pattern(PatternKind::x_shift, n, 4, 4);
    const int k = floor_sqrt(n);
    EXPECT_EQ(p.height, k);
    for (int y = 0; y < 3 * k; ++y) {
      const int shift = y * n / k % n;  // the formula itself, over three periods
      for (int x = 0; x < n; ++x) ASSERT_EQ(p.at(x, y), (x + shift) % n) << "N " << n;
    }
    EXPECT_TRUE(each_once_per_row(p));
    // No vertical repetition before row k: the k shifts differ.
    std::set<int> shifts;
    for (int y = 0; y < k; ++y) shifts.insert(p.at(0, y));
    EXPECT_EQ(int(shifts.size()), k);
  }
}

TEST(PatternShift, YShiftIsXShiftTurned) {
  for (int n = 1; n <= 150; ++n) {
    const Pattern p = make_pattern(PatternKind::y_shift, n, 4, 4);
    const int k = floor_sqrt(n);
    EXPECT_EQ(p.width, k);
    for (int x = 0; x < 2 * k; ++x) {
      const int shift = x * n / k % n;
      for (int y = 0; y < n; ++y) ASSERT_EQ(p.at(x, y), (y + shift) % n) << "N " << n;
    }
    EXPECT_TRUE(each_once_per_column(p));
  }
}

TEST(PatternShift, XShiftOffsetFollowsItsFormula) {
  for (int n = 1; n <= 150; ++n) {
    const Pattern p = make_pattern(PatternKind::x_shift_offset, n, 4, 4);
    const int k = floor_sqrt(n);
    ASSERT_EQ(p.height, n);
    for (int y = 0; y < n; ++y) {
      const int shift = y * (n + 1) / k % n;
      for (int x = 0; x < n; ++x) ASSERT_EQ(p.at(x, y), (x + shift) % n) << "N " << n;
    }
    EXPECT_TRUE(each_once_per_row(p));
    if (n % k == 0 || (n + 1) % k == 0) {
      EXPECT_TRUE(each_once_per_column(p)) << "N " << n;
    }
  }
  for (const int n : {6, 20, 56, 64, 72, 132, 1024}) {  // counts of hardware and of [Kerbl17]
    EXPECT_TRUE(each_once_per_column(make_pattern(PatternKind::x_shift_offset, n, 4, 4))) << "N " << n;
  }
  // The exception that the source documents.
  const Pattern ten = make_pattern(PatternKind::x_shift_offset, 10, 4, 4);
  EXPECT_EQ(ten.at(0, 1), ten.at(0, 9));
}

TEST(PatternShift, XShiftOffsetOfEightAsDrawnInThePaper) {
  const Pattern p = make_pattern(PatternKind::x_shift_offset, 8, 4, 4);
  const int expected[] = {0, 4, 1, 5, 2, 6, 3, 7};
  for (int y = 0; y < 8; ++y) EXPECT_EQ(p.at(0, y), expected[y]);
}

TEST(PatternShift, SudokuRowsShiftDistinctly) {
  for (int n = 1; n <= 130; ++n) {
    for (uint32_t seed = 1; seed <= 3; ++seed) {
      const Pattern p = make_pattern(PatternKind::sudoku, n, 4, 4, seed);
      ASSERT_EQ(p.width, n);
      ASSERT_EQ(p.height, n);
      std::set<int> shifts;
      for (int y = 0; y < n; ++y) {
        shifts.insert(p.at(0, y));
        for (int x = 0; x < n; ++x) ASSERT_EQ(p.at(x, y), (x + p.at(0, y)) % n);
      }
      EXPECT_EQ(int(shifts.size()), n);
      EXPECT_TRUE(each_once_per_column(p));
    }
  }
}

// Every shift is equally likely in every row: over many seeds, row 0 of N = 5 takes each of the five about equally
// often.
TEST(PatternShift, SudokuIsUniform) {
  int count[5] = {};
  for (uint32_t seed = 0; seed < 5000; ++seed) ++count[make_pattern(PatternKind::sudoku, 5, 1, 1, seed).at(0, 0)];
  for (const int c : count) EXPECT_NEAR(c, 1000, 150);
}

// The sequence by arithmetic instead of bit reversal: digits of i mirrored about the binary point.
double van_der_corput_element(int i) {
  double value = 0, digit = 0.5;
  for (; i > 0; i /= 2, digit /= 2) value += (i % 2) * digit;
  return value;
}

TEST(PatternShift, VanDerCorputFollowsItsSequence) {
  for (int n = 1; n <= 300; ++n) {
    const Pattern p = make_pattern(PatternKind::van_der_corput, n, 4, 4);
    ASSERT_EQ(p.height, n);
    const double power = std::exp2(std::ceil(std::log2(double(n))));
    int element = 0;
    for (int y = 0; y < n; ++y) {
      double shift = van_der_corput_element(element++) * power;
      while (shift >= n) shift = van_der_corput_element(element++) * power;
      ASSERT_EQ(p.at(0, y), int(shift)) << "N " << n << " row " << y;
      for (int x = 0; x < n; ++x) ASSERT_EQ(p.at(x, y), (x + int(shift)) % n);
    }
    EXPECT_TRUE(each_once_per_column(p));
  }
}

TEST(PatternShift, VanDerCorputOfEightAndSix) {
  const int eight[] = {0, 4, 2, 6, 1, 5, 3, 7}, six[] = {0, 4, 2, 1, 5, 3};
  const Pattern p8 = make_pattern(PatternKind::van_der_corput, 8, 4, 4);
  const Pattern p6 = make_pattern(PatternKind::van_der_corput, 6, 4, 4);
  for (int y = 0; y < 8; ++y) EXPECT_EQ(p8.at(0, y), eight[y]);
  for (int y = 0; y < 6; ++y) EXPECT_EQ(p6.at(0, y), six[y]);
}

// If N is a power of two, no element is skipped, and rows 2i and 2i + 1 are half a period apart.
TEST(PatternShift, VanDerCorputPairsRowsHalfAPeriodApart) {
  for (const int n : {2, 8, 16, 32, 64, 128, 1024}) {
    const Pattern p = make_pattern(PatternKind::van_der_corput, n, 4, 4);
    for (int y = 0; y < n; y += 2) EXPECT_EQ(p.at(0, y + 1) - p.at(0, y), n / 2) << "N " << n << " row " << y;
  }
}

TEST(PatternShift, G80IsTheMeasuredMap) {
  const Pattern p = make_pattern(PatternKind::g80, 6, 4, 4);
  const int rows[] = {0, 2, 4, 1, 5, 3};  // Tile(i, j) = (i + rows[j % 6]) % 6
  for (int j = 0; j < 12; ++j) {
    for (int i = 0; i < 12; ++i) ASSERT_EQ(p.at(i, j), (i + rows[j % 6]) % 6);
  }
}

TEST(PatternShift, G80GeneralisedKeepsRowsAndColumns) {
  for (int n = 1; n <= 130; ++n) {
    const Pattern p = make_pattern(PatternKind::g80, n, 4, 4);
    ASSERT_EQ(p.height, n);
    EXPECT_TRUE(each_once_per_row(p) && each_once_per_column(p)) << "N " << n;
  }
}

}  // namespace
}  // namespace brokkr
