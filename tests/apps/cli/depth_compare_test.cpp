#include "app/depth_compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace brokkr::app {
namespace {

const auto kAllHard = [](size_t) { return true; };

TEST(DepthCompare, CountsAgreementWithinTheToleranceOnly) {
  const std::vector<float> reference = {0.5f, 0.5f, 0.5f, 0.5f};
  const std::vector<float> ours = {0.5f, 0.5f + 1.9e-5f, 0.5f - 1.9e-5f, 0.5f + 2.2e-5f};
  const DepthComparison result = compare_depth(ours, reference, kAllHard);
  EXPECT_EQ(result.pixels, 4u);
  EXPECT_EQ(result.agree, 3u);
  EXPECT_DOUBLE_EQ(result.percent(), 75.0);
  EXPECT_NEAR(result.worst, 2.2e-5, 1e-7);
}

TEST(DepthCompare, KeepsHardPixelsApart) {
  const std::vector<float> reference = {0.1f, 0.2f, 0.3f, 0.4f};
  const std::vector<float> ours = {0.1f, 0.9f, 0.3f, 0.8f};
  const DepthComparison result = compare_depth(ours, reference, [](size_t pixel) { return pixel < 3; });
  EXPECT_EQ(result.agree, 2u);
  EXPECT_EQ(result.hard_pixels, 3u);
  EXPECT_EQ(result.hard_agree, 2u);
  EXPECT_NEAR(result.worst, 0.7, 1e-6);
  EXPECT_NEAR(result.hard_worst, 0.7, 1e-6);
  EXPECT_DOUBLE_EQ(result.percent(), 50.0);
}

TEST(DepthCompare, NanNeverAgrees) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const DepthComparison result = compare_depth({nan, nan}, {nan, 0.5f}, kAllHard);
  EXPECT_EQ(result.agree, 0u);
  EXPECT_TRUE(std::isinf(result.worst));
}

TEST(DepthCompare, NothingToCompareIsFullAgreement) {
  const DepthComparison result = compare_depth({0.1f}, {0.9f}, [](size_t) { return false; });
  EXPECT_DOUBLE_EQ(result.hard_percent(), 100.0);
  EXPECT_DOUBLE_EQ(result.percent(), 0.0);
}

TEST(DepthCompare, PictureMarksHardAndOtherDifferences) {
  const std::vector<float> reference = {0.5f, 0.5f, 0.5f};
  const std::vector<float> ours = {0.5f, 0.6f, 0.6f};
  const auto picture = draw_difference(ours, reference, [](size_t pixel) { return pixel == 1; });
  ASSERT_EQ(picture.size(), 3u);
  const auto red = [](uint32_t pixel) { return pixel & 0xff; };
  const auto green = [](uint32_t pixel) { return pixel >> 8 & 0xff; };
  EXPECT_EQ(red(picture[0]), green(picture[0]));  // grey
  EXPECT_GT(red(picture[1]), 4 * green(picture[1]));
  EXPECT_GT(green(picture[2]), 100u);
  EXPECT_NE(picture[1], picture[2]);
}

Frame frame_with(uint32_t flags, const State& state) {
  Frame frame;
  frame.states.push_back(state);
  frame.commands.emplace_back(DrawCommand{.flags = flags});
  frame.commands.emplace_back(ClearCommand{});
  return frame;
}

TEST(HardWriter, IsADrawWithoutDoubt) {
  EXPECT_TRUE(is_hard_writer(frame_with(0, {}), 0));
  EXPECT_TRUE(is_hard_writer(frame_with(kDepthClamp | kProvokingFirst, {}), 0));
  EXPECT_FALSE(is_hard_writer(frame_with(kFragmentDiscard, {}), 0));
  EXPECT_FALSE(is_hard_writer(frame_with(kFragmentDepth, {}), 0));
  State state;
  state.alpha_test = AlphaTest{};
  EXPECT_FALSE(is_hard_writer(frame_with(0, state), 0));
  state.alpha_test.reset();
  state.stencil = StencilState{};
  EXPECT_FALSE(is_hard_writer(frame_with(0, state), 0));
}

TEST(HardWriter, IsAClearOrNothing) {
  EXPECT_TRUE(is_hard_writer(frame_with(kFragmentDiscard, {}), 1));
  EXPECT_TRUE(is_hard_writer(frame_with(kFragmentDiscard, {}), ~0u));
  // If programs run, the depths of draws with a program are known.
  EXPECT_FALSE(is_hard_writer(frame_with(kFragmentDiscard, {}), 0, true));
  Frame with_program = frame_with(kFragmentDiscard, {});
  std::get<DrawCommand>(with_program.commands[0]).inputs = 0;
  EXPECT_TRUE(is_hard_writer(with_program, 0, true));
  EXPECT_FALSE(is_hard_writer(with_program, 0, false));
}

}  // namespace
}  // namespace brokkr::app
