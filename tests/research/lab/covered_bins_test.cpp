// Owners of covered bins are the table's, however they are found.
#include "lab/covered_bins.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "bin/row_shift.h"

namespace brokkr::lab {
namespace {

template <class Shift>
void expect_shifts_of(PatternKind kind, uint32_t n) {
  const Pattern pattern = make_pattern(kind, int(n), 1, 1);
  Shift row(n);
  std::mt19937 random(n);
  for (uint32_t y = 0; y < n + 3; ++y, row.next())
    ASSERT_EQ(row.shift(), uint32_t(pattern.at(0, int(y)))) << n << ", " << y;
  for (int i = 0; i < 4; ++i) {
    uint32_t y = uint32_t(random() % (3 * n));
    row.start(y);
    for (int steps = 0; steps < 5; ++steps, ++y, row.next())
      ASSERT_EQ(row.shift(), uint32_t(pattern.at(0, int(y)))) << n << ", " << y;
  }
}

// The table of Van der Corput comes from the same text: its order is found here by sorting reversed bits.
TEST(CoveredBins, VanDerCorputIsTheOrderOfReversedBits) {
  for (uint32_t n = 1; n <= 4096; n = n < 300 ? n + 1 : n + 97) {
    std::set<std::pair<uint32_t, uint32_t>> by_reversed;
    for (uint32_t i = 0; i < n; ++i) {
      uint32_t reversed = 0;
      for (uint32_t bit = 0; bit < 16; ++bit) reversed |= (i >> bit & 1) << (15 - bit);
      by_reversed.insert({reversed, i});
    }
    VanDerCorputShift row(n);
    for (const auto& [reversed, i] : by_reversed) {
      ASSERT_EQ(row.shift(), i) << n;
      row.next();
    }
    ASSERT_EQ(row.shift(), 0u) << n;
  }
}

TEST(CoveredBins, ClosedFormsAreTheTablesShiftsForEveryNumberOfRasterizers) {
  for (uint32_t n = 1; n <= 600; ++n) {
    expect_shifts_of<OffsetShift>(PatternKind::x_shift_offset, n);
    expect_shifts_of<VanDerCorputShift>(PatternKind::van_der_corput, n);
  }
  expect_shifts_of<OffsetShift>(PatternKind::x_shift_offset, kMaxRasterizers);
  expect_shifts_of<VanDerCorputShift>(PatternKind::van_der_corput, kMaxRasterizers);
}

TEST(CoveredBins, AllWaysFindTheSameOwners) {
  constexpr uint32_t kX = 90, kY = 70;
  std::mt19937 random(5);
  for (const uint32_t n : {1u, 2u, 3u, 5u, 6u, 7u, 16u, 31u, 60u, 89u, 90u, 91u, 200u, 1000u}) {
    for (const PatternKind kind : {PatternKind::x_shift_offset, PatternKind::van_der_corput}) {
      const Pattern pattern = make_pattern(kind, int(n), int(kX), int(kY));
      std::vector<uint32_t> owner;
      for (uint32_t y = 0; y < kY; ++y) {
        for (uint32_t x = 0; x < kX; ++x) owner.push_back(uint32_t(pattern.at(int(x), int(y))));
      }
      for (int i = 0; i < 60; ++i) {
        BinBox box{uint32_t(random() % kX), uint32_t(random() % kY), 0, 0};
        box.x1 = box.x0 + uint32_t(random() % (kX - box.x0));
        box.y1 = box.y0 + uint32_t(random() % (kY - box.y0));
        std::vector<uint32_t> expected;
        for (uint32_t y = box.y0; y <= box.y1; ++y) {
          for (uint32_t x = box.x0; x <= box.x1; ++x) expected.push_back(owner[size_t(y) * kX + x]);
        }
        std::vector<uint32_t> found(expected.size());
        ASSERT_EQ(covered_by_table(owner, kX, box, found.data()), expected.size());
        ASSERT_EQ(found, expected);
        std::fill(found.begin(), found.end(), ~0u);
        ASSERT_EQ(covered_by_row(owner, kX, n, box, found.data()), expected.size());
        ASSERT_EQ(found, expected) << n;
        std::fill(found.begin(), found.end(), ~0u);
        ASSERT_EQ(kind == PatternKind::x_shift_offset ? covered_by_offset(n, box, found.data())
                                                      : covered_by_van_der_corput(n, box, found.data()),
                  expected.size());
        ASSERT_EQ(found, expected) << n;
      }
    }
  }
}

TEST(CoveredBins, EveryWayIsMeasured) {
  const Rows rows = measure_covered_bins(true, 1);
  EXPECT_EQ(rows.size(), 2u * 5 * 5 * 3);
  for (const Row& r : rows) EXPECT_EQ(r.size(), 6u);
}

}  // namespace
}  // namespace brokkr::lab
