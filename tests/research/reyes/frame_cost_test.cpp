// The cost learnt from frames: a line over their triangle counts, kept above the measured times.
#include "reyes/frame_cost.h"

#include <gtest/gtest.h>

namespace brokkr {
namespace {

TEST(FrameCost, ALineIsFound) {
  FrameCost cost;
  EXPECT_FALSE(cost.is_known(640, 480));
  for (const uint64_t triangles : {12800u, 38400u, 25600u, 76800u}) {
    cost.learn(triangles, uint32_t(triangles / 128), 3, 1e-3 * double(triangles), 5 + 2e-3 * double(triangles));
  }
  EXPECT_TRUE(cost.is_known(640, 480));
  // With a margin of a twentieth.
  EXPECT_NEAR(cost.fixed_ms(), 5 * 1.05, 1e-6);
  EXPECT_NEAR(cost.grid_ms(3), 128 * 2e-3 * 1.05, 1e-6);
  EXPECT_NEAR(cost.grid_ms(1), 8 * 2e-3 * 1.05, 1e-6);
  EXPECT_NEAR(cost.shade_ms(3), 128 * 1e-3, 1e-6);
  // A quarter of the time of a grid of 128 triangles does not depend on its triangles.
  EXPECT_NEAR(cost.shade_ms(0), (2 + 32) * 1e-3 * 128 / (128 + 32), 1e-6);
  EXPECT_NEAR(cost.expected_ms(10, 3), 5 + 10 * 128 * 3e-3, 1e-6);
  EXPECT_FALSE(cost.is_known(641, 480));
  EXPECT_EQ(cost.fixed_ms(), 0);
}

TEST(FrameCost, PiecesThatAreSmallHaveFewTrianglesWhateverTheirGrids) {
  FrameCost cost;
  cost.is_known(640, 480);
  for (const uint64_t triangles : {2000u, 1000u, 2000u}) {
    cost.learn(triangles, uint32_t(triangles / 20), 3, 1, 1e-3 * double(triangles));
  }
  const double one = cost.grid_ms(3) / 20;  // a grid of 20 triangles counts as 128
  EXPECT_NEAR(cost.grid_ms(2), 20 * one, 1e-9);
  EXPECT_NEAR(cost.grid_ms(1), 8 * one, 1e-9);
  EXPECT_NEAR(cost.grid_ms(0), 2 * one, 1e-9);
  EXPECT_NEAR(cost.grid_ms(4), 80 * one, 1e-9) << "four times as many at most";
}

TEST(FrameCost, WhatASplitTakesIsLearnt) {
  FrameCost cost;
  EXPECT_EQ(cost.split_ms(), 0);
  cost.learn_split(2);
  EXPECT_NEAR(cost.split_ms(), 2 * 1.05, 1e-9);
  for (int k = 0; k < 50; ++k) cost.learn_split(1);
  EXPECT_NEAR(cost.split_ms(), 1.05, 1e-6);
}

TEST(FrameCost, OneSizeSaysNothingOfAFixedPart) {
  FrameCost cost;
  for (int k = 0; k < 5; ++k) cost.learn(1000, 8, 3, 1, 20);
  EXPECT_EQ(cost.fixed_ms(), 0);
  EXPECT_GT(cost.grid_ms(3) * 8, 20);
}

TEST(FrameCost, FramesAboveTheLineRaiseTheMarginForAWhile) {
  FrameCost cost;
  const auto learn = [&](int frames) {
    for (int k = 0; k < frames; ++k) {
      const uint64_t triangles = 1000 + 500 * uint64_t(k % 4);
      cost.learn(triangles, 16, 3, 1, 2 + 0.004 * double(triangles));
    }
  };
  const auto predicted = [&] { return cost.fixed_ms() + cost.grid_ms(3) * 16; };
  learn(40);
  const double usual = predicted();
  cost.learn(2500, 16, 3, 1, 24);  // twice the line's prediction
  EXPECT_GT(predicted(), 1.2 * usual);
  learn(120);
  EXPECT_NEAR(predicted(), usual, 0.02 * usual);
}

}  // namespace
}  // namespace brokkr
