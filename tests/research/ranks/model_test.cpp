// The model against times that are calculated by hand, and properties that hold for any load.
#include "ranks/model.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "ranks/figures.h"

namespace brokkr::ranks {
namespace {

// 4000 bytes take 0.1 us over a link of 40 GB/s, a hop 0.4 us.
SegmentLoad two_ranks_one_merge() {
  SegmentLoad segment;
  segment.merges = {{{10, 20}, {5, 5}, {0, 8000}, {4000, 0}, {0, 0}, {0, 0}}};
  segment.duplicate_us = {40, 50};
  return segment;
}

TEST(RankModel, AMergeOfTwoRanks) {
  // Rank 0 has projected at 10 and sent at 10.1; rank 1 receives it at 10.5, has projected at 20 and sent at 20.2; rank
  // 0 receives that at 20.6 and has drawn at 25.6.
  const ModelResult r = run_model({two_ranks_one_merge()}, 0, {2, ShareMode::cpd, true, {}});
  EXPECT_NEAR(r.frame_us, 25.6, 1e-9);
  EXPECT_NEAR(r.stall_us, 5, 1e-9);
  EXPECT_NEAR(r.no_primitive_us, 20.6, 1e-9);
  EXPECT_EQ(r.id_bytes, 12000u);
}

TEST(RankModel, AHubHasTwoHops) {
  const ModelResult r =
      run_model({two_ranks_one_merge()}, 0, {2, ShareMode::cpd, true, {.topology = ranks::Topology::hub}});
  EXPECT_NEAR(r.frame_us, 20.2 + 0.8 + 5, 1e-9);
}

// 8 MB; each of four ranks owns a quarter.
TEST(RankModel, AHubForwardsACopyToEachReceiver) {
  SegmentLoad segment;
  segment.copy_us = {0, 0, 0, 0};
  segment.exchange_bytes = 8'000'000;
  const auto sync_us = [&](const Network& network) {
    return run_model({segment}, 0, {4, ShareMode::cpd, true, network}).sync_us;
  };
  EXPECT_NEAR(sync_us({.topology = ranks::Topology::line}), 200 + 1.2, 1e-9);
  EXPECT_NEAR(sync_us({.topology = ranks::Topology::hub, .hub_gb_s = 80}), 300 + 0.8, 1e-9);
  EXPECT_NEAR(sync_us({.topology = ranks::Topology::hub, .hub_gb_s = 40}), 600 + 0.8, 1e-9);
  EXPECT_NEAR(sync_us({.topology = ranks::Topology::hub, .hub_gb_s = 40, .hub_multicast = true}), 200 + 0.8, 1e-9);
  // If the switch is fast, the links limit the exchange: a rank receives 6 MB.
  EXPECT_NEAR(sync_us({.topology = ranks::Topology::hub, .hub_gb_s = 1000}), 150 + 0.8, 1e-9);
}

// Rank 0 has projected at 10. It polls for rank 1's message, which arrives at 20.6, at 10, 20 and 30; then it draws two
// merges together.
TEST(RankModel, AsHereDrawsASegmentAfterItsLastIds) {
  SegmentLoad segment = two_ranks_one_merge();
  const ModelSettings here{.ranks = 2, .as_here = true};
  EXPECT_NEAR(run_model({segment}, 0, here).frame_us, 30 + 5, 1e-9);
  ModelSettings oversleeps = here;
  oversleeps.oversleep_us = 50;
  EXPECT_NEAR(run_model({segment}, 0, oversleeps).frame_us, 10 + 60 + 5, 1e-9);
  segment.merges.push_back(segment.merges[0]);
  // With runahead, rank 0 has projected the second at 20, takes the first at 30 and polls until 50.
  EXPECT_NEAR(run_model({segment}, 0, here).frame_us, 50 + 10, 1e-9);
  ModelSettings waits = here;
  waits.runahead = false;
  // Without runahead, it has the first at 30 and projects the second until 40; the message arrives at 40.6.
  EXPECT_NEAR(run_model({segment}, 0, waits).frame_us, 50 + 10, 1e-9);
  waits.network.hop_ns = 50000;
  // Rank 0 has the first at 80 and projects until 90; rank 1's second arrives at 140.2.
  EXPECT_NEAR(run_model({segment}, 0, waits).frame_us, 150 + 10, 1e-9);
  // Polling intervals grow with the waiting time: after 800 us they are 100 us long.
  waits.network.hop_ns = 1e6;
  EXPECT_GT(run_model({segment}, 0, waits).frame_us, 2000 + 30);
  EXPECT_LT(run_model({segment}, 0, waits).frame_us, 2 * 1000 * 9 / 8 + 100);
}

TEST(RankModel, AsHereAllThatALaunchTakesCounts) {
  SegmentLoad segment = two_ranks_one_merge();
  segment.whole_us = {8, 6};
  segment.duplicate_whole_us = {70, 51};
  const auto frame_us = [&](ShareMode mode, bool as_here) {
    return run_model({segment}, 0, {2, mode, true, {}, as_here}).frame_us;
  };
  EXPECT_NEAR(frame_us(ShareMode::cpd, true), 30 + 8, 1e-9);
  EXPECT_NEAR(frame_us(ShareMode::cpd, false), 25.6, 1e-9);
  EXPECT_NEAR(frame_us(ShareMode::duplicate, true), 70, 1e-9);
  EXPECT_NEAR(frame_us(ShareMode::duplicate, false), 50, 1e-9);
}

TEST(RankModel, DuplicatesTakeAsLongAsTheSlowest) {
  const ModelResult r = run_model({two_ranks_one_merge()}, 30, {2, ShareMode::duplicate, true, {}});
  EXPECT_NEAR(r.frame_us, 50, 1e-9);
  EXPECT_NEAR(r.stall_us, 15, 1e-9);
  EXPECT_EQ(r.id_bytes, 0u);
}

TEST(RankModel, TargetsAreExchangedInTurn) {
  SegmentLoad segment = two_ranks_one_merge();
  segment.exchange_bytes = 400000;  // 10 us
  const ModelResult r = run_model({segment}, 0, {2, ShareMode::cpd, true, {}});
  EXPECT_NEAR(r.sync_us, 10.4, 1e-9);
  EXPECT_NEAR(r.frame_us, 36, 1e-9);
  EXPECT_EQ(r.exchange_bytes, 400000u);
}

std::vector<SegmentLoad> random_load(uint32_t seed, int ranks) {
  std::mt19937 random(seed);
  const auto below = [&](uint32_t n) { return uint32_t(random() % n); };
  std::vector<SegmentLoad> segments(2);
  for (SegmentLoad& segment : segments) {
    segment.merges.resize(1 + below(20));
    for (MergeLoad& merge : segment.merges) {
      for (int r = 0; r < ranks; ++r) {
        merge.project_us.push_back(below(30));
        merge.render_us.push_back(below(90));
        merge.left.push_back(r > 0 ? 4 * below(5000) : 0);
        merge.right.push_back(r + 1 < ranks ? 4 * below(5000) : 0);
        merge.kept.push_back(below(100));
        merge.taken.push_back(below(100));
      }
    }
  }
  return segments;
}

TEST(RankModel, NoFrameIsQuickerThanARanksOwnWork) {
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    const int ranks = 1 << (1 + seed % 5);
    const auto load = random_load(seed, ranks);
    double least = 0;
    for (const SegmentLoad& segment : load) {
      double most = 0;
      for (size_t r = 0; r < size_t(ranks); ++r) {
        double work = 0;
        for (const MergeLoad& merge : segment.merges) work += merge.project_us[r] + merge.render_us[r];
        most = std::max(most, work);
      }
      least += most;
    }
    for (const bool runahead : {false, true}) {
      const ModelResult r = run_model(load, 0, {ranks, ShareMode::cpd, runahead, {}});
      EXPECT_GE(r.frame_us, least - 1e-9);
      EXPECT_GE(r.no_primitive_us, -1e-9);
      EXPECT_NEAR(r.no_primitive_us + r.stall_us + r.sync_us, r.frame_us, 1e-6);
    }
  }
}

TEST(RankModel, RunaheadPaysAndLatencyCosts) {
  double with = 0, without = 0, slow = 0;
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    const auto load = random_load(seed, 8);
    with += run_model(load, 0, {8, ShareMode::cpd, true, {}}).frame_us;
    without += run_model(load, 0, {8, ShareMode::cpd, false, {}}).frame_us;
    slow += run_model(load, 0, {8, ShareMode::cpd, false, {.hop_ns = 8000}}).frame_us;
  }
  EXPECT_LT(with, without);
  EXPECT_GT(slow, without);
}

class CostsFile : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) {
    const auto path = std::filesystem::path(testing::TempDir()) / fmt::format("brokkr-costs-{}.json", getpid());
    std::ofstream(path) << text;
    return path;
  }
  static Costs small() {
    Costs costs;
    costs.machine = "cpu";
    costs.workers = 2;
    costs.max_ranks = 16;
    costs.pattern = "diagonal";
    FrameCosts frame{"generated:city?triangles=3000&draws=5", 1920, 1080, {2}, {0}, {}, {}};
    for (uint32_t command = 0; command < 8; ++command) frame.draws.push_back({command, 600, 60});
    for (const int n : rank_counts(16)) {
      for (int r = 0; r < n; ++r) {
        frame.launches.push_back({n, r, ShareMode::duplicate, {2 + 8.0 / n}, {3 + 8.0 / n}});
        frame.launches.push_back({n, r, ShareMode::cpd, {10.0 / n}, {1 + 10.0 / n}});
      }
    }
    costs.frames.push_back(frame);
    return costs;
  }
};

TEST_F(CostsFile, IsReadAsItWasWritten) {
  const std::string text = to_json(small());
  EXPECT_EQ(to_json(read_costs(write(text))), text);
  EXPECT_THROW(read_costs(write("{}")), std::runtime_error);
  EXPECT_THROW(read_costs(write("no json")), std::runtime_error);
}

TEST_F(CostsFile, IsNotTrusted) {
  const std::string text = to_json(small());
  const auto refused = [&](const std::string& was, const std::string& is) {
    std::string changed = text;
    const size_t at = changed.rfind(was);
    ASSERT_NE(at, std::string::npos) << was;
    EXPECT_THROW(read_costs(write(changed.replace(at, was.size(), is))), std::runtime_error) << is;
  };
  refused("\"rank\": 15", "\"rank\": 1000000");
  refused("\"rank\": 15", "\"rank\": 14");
  refused("\"ranks\": 16", "\"ranks\": 3");
  refused("\"mode\": \"cpd\"", "\"mode\": \"sometimes\"");
  refused("\"most_ranks\": 16", "\"most_ranks\": 32");
  refused("\"most_ranks\": 16", "\"most_ranks\": 2000000000");
  refused("\"bin\": 32", "\"bin\": 0");
  refused("\"duplicate\"", "\"cpd\"");
  EXPECT_THROW(read_costs(write(std::string(100000, '['))), std::runtime_error);
  EXPECT_THROW(read_costs(write(text.substr(0, text.size() / 2))), std::runtime_error);
}

TEST_F(CostsFile, EveryFigureCanBeMade) {
  const Costs costs = small();
  for (const FigureInfo& figure : figure_list()) {
    SCOPED_TRACE(figure.name);
    const FigureTable table = make_figure(figure.name, costs, {});
    EXPECT_FALSE(table.rows.empty());
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.heading.size());
  }
  EXPECT_THROW(make_figure("fig12", costs, {}), std::invalid_argument);
}

// Geometry that every rank repeats limits duplicated projection, but not shared projection.
TEST_F(CostsFile, SharedProjectionBeatsDuplicates) {
  const FigureTable table = make_figure("fig13", small(), {});
  const auto at_16 = [&](size_t row) { return table.rows[row].back().number.value(); };
  EXPECT_NEAR(at_16(0), 4, 0.01);  // 10 over 2.5
  EXPECT_GT(at_16(4), at_16(0));
}

}  // namespace
}  // namespace brokkr::ranks
