// Segments, merges and shares contain all primitives once and in order, and no merge spans a read.
#include "ranks/sequence.h"

#include <gtest/gtest.h>

#include "oracle/soup.h"
#include "ranks/settings.h"

namespace brokkr::ranks {
namespace {

Frame soup_of_blits(uint32_t seed) {
  oracle::SoupOptions soup;
  soup.blits = soup.instances = true;
  soup.draws = 20;
  return oracle::make_soup(seed, soup);
}

TEST(Sequence, SegmentsAreCutWhereBlitsReadWhatWasDrawn) {
  size_t cuts = 0;
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    const Frame frame = soup_of_blits(seed);
    Renderer renderer;
    const PreparedFrame prepared = renderer.prepare(frame);
    const std::vector<Segment> segments = cut_segments(PreparedFrame::Impl::of(prepared), false, ~0u);
    ASSERT_EQ(segments.front().first_command, 0u);
    ASSERT_EQ(segments.back().end_command, frame.commands.size());
    EXPECT_TRUE(segments.front().exchanged.empty());
    for (size_t s = 1; s < segments.size(); ++s, ++cuts) {
      EXPECT_EQ(segments[s].first_command, segments[s - 1].end_command);
      const auto* blit = std::get_if<BlitCommand>(&frame.commands[segments[s].first_command]);
      ASSERT_NE(blit, nullptr);
      ASSERT_EQ(segments[s].exchanged.size(), 1u);
      EXPECT_EQ(segments[s].exchanged[0].target, blit->from);
    }
  }
  EXPECT_GT(cuts, 5u);
}

TEST(Sequence, WhatNobodyDrewSinceIsNotExchangedAgain) {
  Frame frame = soup_of_blits(3);
  std::vector<Command> twice;
  size_t blits = 0;
  for (const Command& command : frame.commands) {
    twice.push_back(command);
    if (!std::holds_alternative<BlitCommand>(command)) continue;
    twice.push_back(command);
    ++blits;
  }
  Renderer renderer;
  const PreparedFrame before = renderer.prepare(frame);
  const size_t segments = cut_segments(PreparedFrame::Impl::of(before), false, ~0u).size();
  frame.commands = twice;
  const PreparedFrame after = renderer.prepare(frame);
  ASSERT_GT(blits, 0u);
  EXPECT_EQ(cut_segments(PreparedFrame::Impl::of(after), false, ~0u).size(), segments);
}

TEST(Sequence, MergesAndSharesHoldEachPrimitiveOnce) {
  const Frame frame = soup_of_blits(2);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  const GivenDraws given(prepared);
  uint64_t all = 0;
  for (const RunRecord& run : given.runs()) all += given.draws()[run.draw].triangle_count;
  for (const uint32_t threshold : {0u, 100u, 4096u, ~0u}) {
    uint64_t sum = 0, merges = 0, draws = 0;
    for (const Segment& segment : cut_segments(PreparedFrame::Impl::of(prepared), false, ~0u)) {
      for (const Merge& merge : merge_draws(given, segment, threshold)) {
        ++merges;
        draws += merge.draws;
        sum += merge.primitives;
        EXPECT_TRUE(threshold != 0 || merge.draws == 1);
        // Without its last draw, the merge would not exceed the threshold.
        uint64_t before_last = 0;
        const uint32_t last = given.draws()[given.runs()[merge.end_run - 1].draw].command;
        for (size_t r = merge.first_run; r < merge.end_run; ++r) {
          const DrawRecord& draw = given.draws()[given.runs()[r].draw];
          if (draw.command != last) before_last += draw.triangle_count;
        }
        EXPECT_LE(before_last, threshold);
        uint64_t at = 0;
        for (int rank = 0; rank < 7; ++rank) {
          const Share share = share_of(merge, rank, 7);
          EXPECT_EQ(share.begin, at);
          at = share.end;
        }
        EXPECT_EQ(at, merge.primitives);
      }
    }
    EXPECT_EQ(sum, all) << threshold;
    EXPECT_GE(draws, merges);
  }
}

TEST(Sequence, SavedPatternsNeedTheirOwnNumberOfRanks) {
  const Frame frame = soup_of_blits(1);
  RankSettings settings;
  settings.pattern = std::make_shared<const SavedPattern>(SavedPattern{"three", "", {3, 3, 1, {0, 1, 2}}});
  EXPECT_NO_THROW(owned_bins(frame, settings, 0, 3));
  EXPECT_THROW(owned_bins(frame, settings, 0, 4), std::invalid_argument);
}

}  // namespace
}  // namespace brokkr::ranks
