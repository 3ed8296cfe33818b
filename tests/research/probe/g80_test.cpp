// The probe runs blind on the model of the G80: it must find the model's parameters and the paper's numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "probe/experiments.h"
#include "probe/film.h"
#include "probe/g80_model.h"
#include "probe/tile_map.h"

namespace brokkr::probe {
namespace {

void ignore(double) {}

TEST(G80Model, ItsMapIsThePapers) {
  G80Model model;
  const TileMap map = map_by_pairs(model, PairTest::time, ignore);
  const MapRule rule = rule_of(map);
  EXPECT_EQ(map.tile_x, 16);
  EXPECT_EQ(map.tile_y, 16);
  EXPECT_EQ(map.owners, 6);
  EXPECT_EQ(map.contradicted, 0);
  EXPECT_EQ(rule.period_x, 6);
  EXPECT_EQ(rule.period_y, 6);
  EXPECT_TRUE(rule.by_rows);
  EXPECT_EQ(rule.shifts, (std::vector<int>{0, 2, 4, 1, 5, 3}));
  EXPECT_NE(std::find(rule.equal.begin(), rule.equal.end(), "g80"), rule.equal.end());
}

TEST(G80Model, ItsPartsAreFound) {
  G80Model model;
  Bench bench(model);
  const Parameters found = find_parameters(bench);
  EXPECT_EQ(found.warp.pixels, 32);
  EXPECT_EQ(found.warp.width, 8);
  EXPECT_EQ(found.warp.height, 4);
  EXPECT_EQ(found.multiprocessors, 12);
  EXPECT_EQ(found.quad_x, 2);
  EXPECT_EQ(found.quad_y, 2);
  EXPECT_NEAR(found.points_in_warp, 4, 0.4);
}

// A model with other parts gives other answers. One is the 8600M GT with two texture processors, the other a chip that
// was never built.
TEST(G80Model, OtherPartsAreFoundToo) {
  G80Model small({.processors = 2, .shifts = {0, 1}});
  const TileMap two = map_by_pairs(small, PairTest::time, ignore);
  EXPECT_EQ(two.owners, 2);
  EXPECT_EQ(rule_of(two).shifts, (std::vector<int>{0, 1}));
  Bench small_bench(small);
  small_bench.period = 2;
  EXPECT_EQ(find_parameters(small_bench).multiprocessors, 4);

  G80Model other(
      {.processors = 4, .tile = 32, .multiprocessors = 3, .fifo = 120, .primitives = 8, .shifts = {0, 3, 1}});
  const TileMap map = map_by_pairs(other, PairTest::time, ignore);
  EXPECT_EQ(map.tile_x, 32);
  EXPECT_EQ(map.owners, 4);
  const MapRule rule = rule_of(map);
  EXPECT_EQ(rule.period_x, 4);
  EXPECT_EQ(rule.period_y, 3);
  EXPECT_EQ(rule.shifts, (std::vector<int>{0, 3, 1}));
  Bench other_bench(other);
  other_bench.tile = 32;
  const Parameters parts = find_parameters(other_bench);
  EXPECT_NEAR(parts.multiprocessors, 12, 1);
  EXPECT_NEAR(parts.points_in_warp, 8, 0.8);
}

TEST(G80Model, AFullFifoMakesTheOthersWait) {
  const auto window = [](int fifo) {
    G80Model model({.fifo = fifo});
    Bench bench(model);
    return find_parameters(bench).window;
  };
  EXPECT_LT(window(4), window(12));
  EXPECT_LT(window(12), window(40));
}

class Experiment : public testing::TestWithParam<ExperimentInfo> {};

// Every number that the paper explains is met within 15 %.
TEST_P(Experiment, AgreesWithThePaper) {
  G80Model model;
  Bench bench(model);
  const ResultOf result = GetParam().run(bench);
  ASSERT_FALSE(result.rows.empty());
  for (const Measurement& m : result.rows) {
    if (m.paper && m.explained)
      EXPECT_NEAR(m.value, *m.paper, kTolerance * *m.paper) << m.what;
    else
      EXPECT_GT(m.value, 0) << m.what;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Experiment, testing::ValuesIn(experiments().begin(), experiments().end()),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

// The smaller the primitives, the fewer pixels are drawn before all processors wait (E2.2).
TEST(G80Model, SmallPrimitivesShortenTheWindow) {
  G80Model model;
  Bench bench(model);
  std::map<std::string, double> window;
  for (const Measurement& m : small_quads_slow(bench).rows) window[m.what] = m.value;
  EXPECT_GT(window["quads of 16 x 16"], window["quads of 4 x 4"]);
  EXPECT_GT(window["quads of 4 x 4"], window["quads of 1 x 1"]);
  EXPECT_LT(window["points"], 0.3 * window["quads of 512 x 512"]);
}

// Every fragment is written once, with its own rank.
TEST(G80Model, RanksAreAPermutation) {
  G80Model model;
  for (const Drawing& drawing : {covering_triangle(), quads(512), quads(7), lines(64), point_squares(16), strip(16)}) {
    const Film film = model.draw(drawing);
    std::set<uint32_t> ranks(film.order.begin(), film.order.end());
    EXPECT_EQ(ranks.size(), size_t(kWindow) * kWindow);
    EXPECT_EQ(*ranks.rbegin(), uint32_t(kWindow * kWindow - 1));
  }
}

// Every kind of drawing covers the window once in any order. Overlapping drawings cover it as often as requested.
TEST(Drawings, CoverTheWindowInEachOrder) {
  G80Model model;
  for (const char* const kind : {"quads", "lines", "stacks", "points"}) {
    for (const FillOrder order : {FillOrder::raster, FillOrder::tiles, FillOrder::shuffle}) {
      Drawing drawing = drawing_of(kind, 32);
      const size_t primitives = drawing.primitives();
      reorder(drawing, order);
      EXPECT_EQ(drawing.primitives(), primitives);
      const Film once = model.draw(drawing);
      EXPECT_EQ(std::set<uint32_t>(once.order.begin(), once.order.end()).size(), size_t(kWindow) * kWindow)
          << kind << int(order);
    }
  }
  Drawing shuffled = drawing_of("points", 512), rows = shuffled, tiles = shuffled;
  reorder(shuffled, FillOrder::shuffle);
  reorder(tiles, FillOrder::tiles);
  EXPECT_NE(shuffled.vertices, rows.vertices);
  EXPECT_EQ(tiles.vertices[16], rows.vertices[kWindow]);
  overlap(rows, 2);
  EXPECT_EQ(rows.vertices[1], rows.vertices[0]);
  const Film twice = model.draw(rows);
  EXPECT_EQ(*std::max_element(twice.order.begin(), twice.order.end()), uint32_t(2 * kWindow * kWindow - 1));
  Drawing dealt = quads(128);
  deal_out(dealt, 5);
  EXPECT_EQ(dealt.batches, (std::vector<uint32_t>{6, 6, 7, 6, 7}));
  Drawing one = strip(64);
  EXPECT_THROW(reorder(one, FillOrder::shuffle), std::invalid_argument);
  one.batches = {1};
  EXPECT_THROW(check_drawing(one), std::invalid_argument);
}

// Pixels that fail the early test are not drawn, and the two passes together cover everything.
TEST(G80Model, MasksPartTheWindow) {
  G80Model model;
  Drawing stars = quads(512);
  stars.stars = {8, 1000, 1};
  Drawing others = stars;
  stars.mask = Mask::only_stars;
  others.mask = Mask::all_but_stars;
  const Film a = model.draw(stars), b = model.draw(others);
  for (int y = 0; y < kWindow; ++y) {
    for (int x = 0; x < kWindow; ++x) {
      ASSERT_EQ(a.order[a.at(x, y)] != kNever, x % 8 == 0 && y % 8 == 0);
      ASSERT_EQ(b.order[b.at(x, y)] == kNever, x % 8 == 0 && y % 8 == 0);
    }
  }
}

// Several slow fragments: black pixels wait for the first of them. Each picture of the film shows them until it is
// done.
TEST(Watched, MarksWhatSlowFragmentsHoldUp) {
  G80Model model;
  Bench bench(model);
  const glm::ivec2 corner = slow_corner(16);
  const Watched two = watch(model, bench.slow_quad({corner, corner + glm::ivec2(16, 0)}, true));
  EXPECT_EQ(two.slow.size(), 2u);
  const auto black = std::count(two.stall.black.begin(), two.stall.black.end(), true);
  const Watched one = watch(model, bench.slow_quad({corner}, true));
  EXPECT_GT(black, 256);
  EXPECT_LT(two.stall.drawn, one.stall.drawn) << "two of six processors wait";
  const auto red = [&](double part) {
    const std::vector<uint32_t> pixels = two.picture(part);
    return std::count(pixels.begin(), pixels.end(), 0xff2020c0u);
  };
  EXPECT_GT(red(two.stall_part()), 1000);
  EXPECT_EQ(red(1), 0);
  const Watched none = watch(model, quads(64));
  EXPECT_EQ(none.stall.now, 0u);
  EXPECT_TRUE(none.undisturbed.order.empty());
}

// The advice in section 5 of the paper: each row is measured and says whether it helps.
TEST(G80Model, SituationsSayWhatHelps) {
  G80Model model;
  std::map<std::string, std::string> said;
  for (const ExperimentInfo& each : situations()) {
    Bench bench(model);
    for (const Measurement& m : each.run(bench).rows) {
      EXPECT_GT(m.value, 0) << m.what;
      EXPECT_EQ(m.is_gain, m.unit == "times as fast") << m.what;
      if (m.is_gain) said[m.what] = advice_of(m);
    }
  }
  EXPECT_EQ(said["quads of 1: deferred shading"], "helps");
  EXPECT_EQ(said["stars as points, then the sky"], "helps");
  EXPECT_EQ(said["masked: only stars, then all but stars"], "helps");
  EXPECT_EQ(said["stars packed side by side, then the sky"], "helps");
  EXPECT_EQ(said["one call for all triangles, not one for each"], "no help");
  EXPECT_EQ(said["half of a silhouette drawn a tile further, and copied back"], "helps");
  EXPECT_STREQ(advice_of({"", {}, 0.5, "", true, "", true}), "harms");
}

}  // namespace
}  // namespace brokkr::probe
