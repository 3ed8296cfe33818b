// The probe on Brokkr's pipeline: every fragment has its own stamp, and the stamps alone recover every pattern.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "brokkr/load.h"
#include "brokkr/renderer.h"
#include "probe/subjects.h"
#include "probe/tile_map.h"

namespace brokkr::probe {
namespace {

std::vector<RenderOptions> machines() {
  std::vector<RenderOptions> all;
  for (const MachineInfo& info : find_machines()) {
    if (!info.available) continue;
    RenderOptions options;
    options.machine = info.kind;
    if (info.kind == MachineKind::cpu) options.isa = "";
    const bool known = std::any_of(all.begin(), all.end(), [&](const auto& o) { return o.machine == info.kind; });
    if (!known) all.push_back(options);
  }
  return all;
}

// Expects ranks 0 .. n - 1, each once, and only blocks and warps of the launch.
void expect_stamps(const RenderResult& result, const Layer& layer) {
  std::set<uint32_t> orders;
  size_t drawn = 0;
  for (size_t i = 0; i < layer.stamps.size(); ++i) {
    const FragmentStamp& stamp = layer.stamps[i];
    EXPECT_EQ(stamp.order != ~0u, layer.visible_id[i] != ~0u);
    if (stamp.order == ~0u) continue;
    ++drawn;
    orders.insert(stamp.order);
    EXPECT_LT(stamp.block, uint32_t(result.statistics.workers));
    EXPECT_LT(stamp.warp, uint32_t(result.statistics.warps_per_block));
    EXPECT_GE(stamp.time_ms, 0);
  }
  EXPECT_GT(drawn, 0u);
  EXPECT_EQ(orders.size(), drawn);
}

TEST(Stamps, OfAFrameWithoutOverdrawAreAllRanks) {
  LoadOptions load;
  load.width = 200;
  load.height = 136;
  const Frame frame = load_frame("generated:screen", load);
  for (RenderOptions options : machines()) {
    options.keep_stamps = true;
    options.shading = Shading::flat;
    const RenderResult result = Renderer().render(frame, options);
    const Layer& layer = result.targets[main_target(frame)].layers[0];
    expect_stamps(result, layer);
    std::set<uint32_t> orders;
    for (const FragmentStamp& stamp : layer.stamps) orders.insert(stamp.order);
    EXPECT_EQ(*orders.rbegin(), orders.size() - 1);
    EXPECT_EQ(orders.size(), layer.stamps.size());
  }
}

TEST(Stamps, DoNotChangeThePicture) {
  LoadOptions load;
  load.width = 160;
  load.height = 100;
  const Frame frame = load_frame("generated:overlap-10k?triangles=400", load);
  for (RenderOptions options : machines()) {
    for (const OrderMode order : {OrderMode::automatic, OrderMode::strict}) {
      options.order = order;
      options.keep_stamps = false;
      options.keep_ids = true;
      const RenderResult plain = Renderer().render(frame, options);
      options.keep_stamps = true;
      const RenderResult stamped = Renderer().render(frame, options);
      const Layer &a = plain.targets[0].layers[0], &b = stamped.targets[0].layers[0];
      EXPECT_EQ(a.color, b.color);
      EXPECT_EQ(a.depth, b.depth);
      EXPECT_EQ(a.visible_id, b.visible_id);
      EXPECT_TRUE(a.stamps.empty());
      expect_stamps(stamped, b);
    }
  }
}

class OfPattern : public testing::TestWithParam<PatternKind> {};

// Stamps alone give tile, period and owners. The pattern of the drawing is among those that the map equals, and the
// saved map is that pattern.
TEST_P(OfPattern, TheMapIsFound) {
  for (RenderOptions options : machines()) {
    for (const auto& [rasterizers, bin] : {std::pair{6, 8}, {5, 16}, {9, 8}}) {
      options.pattern = GetParam();
      options.rasterizers = rasterizers;
      options.bin = bin;
      const TileMap map = map_of_pipeline(options);
      const MapRule rule = rule_of(map);
      EXPECT_EQ(map.tile_x, bin);
      EXPECT_EQ(map.tile_y, bin);
      EXPECT_EQ(map.owners, rasterizers);
      EXPECT_NE(std::find(rule.equal.begin(), rule.equal.end(), name_of(GetParam())), rule.equal.end())
          << rasterizers << " rasterizers, " << formula(map, rule);
      const Pattern made = make_pattern(GetParam(), rasterizers, map.columns, map.rows), found = pattern_of(map, rule);
      check_pattern(found);
      EXPECT_TRUE(rule.period_x == 0 || made.width % rule.period_x == 0) << rule.period_x;
      EXPECT_TRUE(rule.period_y == 0 || made.height % rule.period_y == 0) << rule.period_y;
      std::set<std::pair<int, int>> pairs;
      for (int y = 0; y < map.rows; ++y) {
        for (int x = 0; x < map.columns; ++x) pairs.insert({made.at(x, y), found.at(x, y)});
      }
      EXPECT_EQ(pairs.size(), size_t(rasterizers)) << "owners have other numbers, and nothing else";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Stamps, OfPattern, testing::ValuesIn([] {
                           std::vector<PatternKind> kinds;
                           for (const auto& choice : Choices<PatternKind>::all) kinds.push_back(choice.value);
                           return kinds;
                         }()),
                         [](const auto& test) {
                           std::string name = name_of(test.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(MapOfUnits, KnowsWhatIsNotThere) {
  EXPECT_THROW(map_of_units(std::vector<int32_t>(16, -1), 4, 4), std::runtime_error);
  const TileMap one = map_of_units(std::vector<int32_t>(64, 3), 8, 8);
  EXPECT_EQ(one.owners, 1);
  EXPECT_EQ(one.tile_x, 8);
  // Each tile is separate, as if a driver gave tiles to any free thread.
  std::vector<int32_t> units;
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) units.push_back(y / 2 * 4 + x / 2);
  }
  const TileMap apart = map_of_units(units, 8, 8);
  EXPECT_FALSE(apart.shared);
  EXPECT_EQ(apart.tile_x, 2);
  EXPECT_EQ(rule_of(apart).equal.size(), 0u);
}

// Multiprocessors as NVIDIA's drivers number them: each warp of 8 x 4 pixels goes to any multiprocessor of its cluster.
// The probe finds the clusters' map.
TEST(ClustersOfUnits, AreFoundByTheTilesThatTheyShare) {
  constexpr int kSize = 512, kClusters = 6, kUnits = 5;
  std::vector<int32_t> unit(size_t(kSize) * kSize, -1);
  uint32_t random = 1;
  for (int y = 0; y < kSize; y += 4) {
    for (int x = 0; x < kSize; x += 8) {
      random = random * 1664525u + 1013904223u;
      const int cluster = (x / 16 + y / 16) % kClusters, one = int((random >> 16) % kUnits);
      for (int i = 0; i < 32; ++i) unit[size_t(y + i / 8) * kSize + size_t(x + i % 8)] = one * kClusters + cluster;
    }
  }
  const TileMap map = map_of_units(clusters_of(unit, kSize, kSize), kSize, kSize);
  EXPECT_EQ(map.tile_x, 16);
  EXPECT_EQ(map.tile_y, 16);
  EXPECT_EQ(map.owners, kClusters);
  const MapRule rule = rule_of(map);
  EXPECT_NE(std::find(rule.equal.begin(), rule.equal.end(), "diagonal"), rule.equal.end()) << formula(map, rule);
  // Units with separate tiles are not merged into clusters, nor are units that draw everywhere.
  for (int i = 0; i < kSize * kSize; ++i) unit[size_t(i)] = (i % kSize / 16 + i / kSize / 16) % 4;
  EXPECT_EQ(clusters_of(unit, kSize, kSize), unit);
  for (int i = 0; i < kSize * kSize; ++i) unit[size_t(i)] = i % 4;
  EXPECT_EQ(clusters_of(unit, kSize, kSize), unit);
}

#if defined(BROKKR_HAVE_SHADERS)
// Slow fragments on the pipeline: all are drawn once, and the last one on a pixel is visible.
TEST(BrokkrSubject, DrawsWhatItIsAskedTo) {
  RenderOptions options;
  options.machine = MachineKind::cpu;
  options.rasterizers = options.workers = 4;
  BrokkrSubject subject(options);
  Drawing drawing = quads(kWindow);
  const Film plain = subject.draw(drawing);
  const std::set<uint32_t> ranks(plain.order.begin(), plain.order.end());
  EXPECT_EQ(ranks.size(), size_t(kWindow) * kWindow);
  drawing.slow = {{100, 100, 1000000, 1}};
  EXPECT_GT(subject.draw(drawing).cost, 0);
  drawing = points_at({{7, 9}}, 50);
  const Film points = subject.draw(drawing);
  EXPECT_EQ(points.order[points.at(7, 9)], 49u);
  EXPECT_EQ(std::count(points.order.begin(), points.order.end(), kNever), ptrdiff_t(kWindow) * kWindow - 1);
  // A strip and quads in several calls each cover the window once.
  Drawing dealt = quads(64);
  deal_out(dealt, 7);
  for (const Drawing& whole : {strip(64), dealt}) {
    const Film film = subject.draw(whole);
    EXPECT_EQ(std::set<uint32_t>(film.order.begin(), film.order.end()).size(), size_t(kWindow) * kWindow);
  }
}

// With a mask of stars each pixel has the expected fragment. The mask's points come before all others.
TEST(BrokkrSubject, MasksPartTheWindow) {
  RenderOptions options;
  options.machine = MachineKind::cpu;
  options.rasterizers = options.workers = 2;
  BrokkrSubject subject(options);
  Drawing stars = quads(kWindow);
  stars.stars = {64, 1000, 1};
  stars.mask = Mask::only_stars;
  const Film film = subject.draw(stars);
  EXPECT_EQ(std::count(film.order.begin(), film.order.end(), kNever), ptrdiff_t(kWindow) * kWindow - 64);
  stars.mask = Mask::all_but_stars;
  const Film others = subject.draw(stars);
  EXPECT_EQ(std::count(others.order.begin(), others.order.end(), kNever), 0);
  EXPECT_NE(film.order[film.at(64, 64)], kNever);
}
#endif

}  // namespace
}  // namespace brokkr::probe
