// The pattern lab's measures against numbers that are counted in another way, and on synthetic frames.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "brokkr/load.h"
#include "lab/pattern_measures.h"
#include "lab/pattern_partition.h"
#include "lab/pattern_search.h"

namespace brokkr::lab {
namespace {

// Stripes along x (period 8) and noise.
FragmentMap stripes(int width, int height, bool horizontal) {
  std::mt19937 generator(5);
  std::vector<uint32_t> count;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x)
      count.push_back(((horizontal ? y : x) / 8 % 3 == 0 ? 9u : 1u) + uint32_t(generator() % 2));
  }
  return make_map("stripes", width, height, count);
}

// Load that decreases from one corner: a cluster.
FragmentMap cluster(int width, int height, uint32_t seed) {
  std::mt19937 generator(seed);
  const double cx = double(generator() % uint32_t(width)), cy = double(generator() % uint32_t(height));
  std::vector<uint32_t> count;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x)
      count.push_back(1 + uint32_t(40 * std::exp(-std::hypot(x - cx, y - cy) / 60)) + uint32_t(generator() % 3));
  }
  return make_map("cluster", width, height, count);
}

Frame small_scene(const std::string& what, int width, int height) {
  LoadOptions load;
  load.width = width;
  load.height = height;
  return load_frame(what, load);
}

TEST(FragmentMap, BinsAddUpToThePixels) {
  const FragmentMap map = cluster(101, 67, 1);
  for (const int bin : {4, 12, 64, 192}) {
    const BinLoads bins = bin_loads(map, bin);
    EXPECT_EQ(bins.x, (101 + bin - 1) / bin);
    EXPECT_EQ(bins.y, (67 + bin - 1) / bin);
    EXPECT_EQ(std::accumulate(bins.load.begin(), bins.load.end(), uint64_t(0)), map.total);
  }
  const BinLoads bins = bin_loads(map, 16);
  uint64_t corner = 0;
  for (int y = 64; y < 67; ++y) {
    for (int x = 96; x < 101; ++x) corner += map.count[size_t(y * 101 + x)];
  }
  EXPECT_EQ(bins.load.back(), corner);
  EXPECT_THROW((void)make_map("short", 3, 3, {1, 2}), std::invalid_argument);
  EXPECT_NE(map.hash, cluster(101, 67, 2).hash);
}

// The pipeline's statistics of one launch with a pattern and the map of another launch give the same c_v.
TEST(FragmentMap, PredictsTheLoadThatTheRasterizersReport) {
  const Frame frame = small_scene("generated:overlap-10k?triangles=3000", 320, 180);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions options;
  options.machine = MachineKind::cpu;
  options.workers = 2;
  const auto maps = render_maps(renderer, prepared, frame, "overlap", options);
  ASSERT_EQ(maps.size(), 1u);
  options.order = OrderMode::strict;
  options.bin = 16;
  options.rasterizers = 7;
  options.pattern =
      std::make_shared<const SavedPattern>(SavedPattern{"mine", "", make_pattern(PatternKind::sudoku, 7, 1, 1, 3)});
  const Statistics s = renderer.render(prepared, options).statistics;
  EXPECT_EQ(s.pattern, "mine");
  EXPECT_EQ(s.fragments, maps[0].total);
  EXPECT_GT(s.queue_elements, 0u);
  EXPECT_LE(s.queue_elements, s.triangle_rasterizer_pairs);
  const LoadStatistics load = pattern_load(saved_pattern(options.pattern)->pattern, bin_loads(maps[0], 16));
  EXPECT_NEAR(load.cv, s.load_cv, 1e-9);
  options.rasterizers = 8;
  EXPECT_THROW(renderer.render(prepared, options), std::invalid_argument);
}

TEST(Orientation, LinesAlongStripesVaryMost) {
  const FragmentMap horizontal = stripes(200, 160, true), vertical = stripes(200, 160, false);
  for (const int samples : {16, 32}) {
    // Degrees from the vertical.
    EXPECT_GT(orientation_sigma(horizontal, samples, 90, 1), 2 * orientation_sigma(horizontal, samples, 44, 1));
    EXPECT_GT(orientation_sigma(vertical, samples, 0, 1), 2 * orientation_sigma(vertical, samples, 44, 1));
    EXPECT_LT(orientation_sigma(vertical, samples, 90, 1), orientation_sigma(vertical, samples, 0, 1));
  }
  EXPECT_EQ(orientation_sigma(horizontal, 512, 0, 1), 0);
}

TEST(Orientation, EqualsSumsOverSingleLines) {
  const FragmentMap map = cluster(60, 50, 3);
  // 45 degrees from the vertical: up and to the right.
  double sum = 0, squares = 0;
  int windows = 0;
  for (int y = 8; y < 42; ++y) {
    for (int x = 8; x < 52; ++x, ++windows) {
      double line = 0;
      for (int i = -8; i < 8; ++i) line += map.count[size_t((y + i) * 60 + x + i)];
      line /= 16 * map.mean();
      sum += line;
      squares += line * line;
    }
  }
  const double expected = std::sqrt(squares / windows - sum / windows * (sum / windows));
  EXPECT_NEAR(orientation_sigma(map, 16, 45, 1), expected, 1e-9);
}

TEST(Spacing, ApartIsMoreEven) {
  const FragmentMap map = cluster(640, 360, 4);
  const std::vector<SpacingStep> steps = spacing_steps(map, 16);
  ASSERT_EQ(steps.size(), 5u);  // groups of 2, 4, ... 10 bins: 10 * 16 <= 180 < 12 * 16
  EXPECT_EQ(steps[0].distance, 0);
  EXPECT_EQ(steps[0].sigma, steps[0].reference);
  EXPECT_EQ(steps[4].distance, 8);
  EXPECT_LT(steps[4].sigma, 0.8 * steps[0].sigma);
  // A group keeps four bins, so that an even load stays even at every distance.
  for (const SpacingStep& s : spacing_steps(make_map("even", 640, 360, std::vector<uint32_t>(640 * 360, 3)), 16))
    EXPECT_NEAR(s.sigma, 0, 1e-9);
}

TEST(Search, KernelEqualsTheMeanOverAllPlacements) {
  const int n = 7;
  for (const int height : {60, 200}) {  // 4 rows of bins, fewer than the tile has, and 13
    const BinLoads bins = bin_loads(cluster(300, height, 6), 16);
    const RowKernel kernel = row_kernel(bins, n, std::min(n, bins.y));
    for (const PatternKind kind : {PatternKind::diagonal, PatternKind::van_der_corput, PatternKind::sudoku}) {
      const Pattern pattern = make_pattern(kind, n, 1, 1);
      double sum = 0;
      for (int moved = 0; moved < n; ++moved) {
        Pattern placed = pattern;
        for (int y = 0; y < n; ++y) {
          for (int x = 0; x < n; ++x) placed.owner[size_t(y * n + x)] = uint16_t(pattern.at(x + moved, y));
        }
        const double cv = pattern_load(placed, bins).cv;
        sum += cv * cv / n;
      }
      EXPECT_NEAR(placement_cv2(pattern, kernel), sum, 1e-9);
      // Rotated rows: a horizontal move only renames the rasterizers.
      EXPECT_NEAR(std::sqrt(sum), pattern_load(pattern, bins).cv, 1e-9);
    }
  }
}

// A search trains on data without heights, left and right, and with the same mean.
TEST(Search, GeneralKernelIsTheMeanOfMovedFrames) {
  const int n = 12, rows = 9;
  const BinLoads bins = bin_loads(cluster(400, 16 * rows, 8), 16);
  const RowKernel kernel = row_kernel(bins, n, rows);
  const auto at = [&](const RowKernel& k, int y0, int y1, int d) {
    return k.value[size_t((y0 * rows + y1) * n + (d + n) % n)];
  };
  const RowKernel general = general_kernel(kernel, rows, 0), faded = general_kernel(kernel, rows, 3);
  for (int apart = 0; apart < rows; ++apart) {
    for (int d = 0; d < n; ++d) {
      double mean = 0;
      for (int y = 0; y + apart < rows; ++y)
        mean += (at(kernel, y + apart, y, d) + at(kernel, y + apart, y, -d)) / (2 * (rows - apart));
      for (int y = 0; y + apart < rows; ++y) {
        EXPECT_NEAR(at(general, y + apart, y, d), mean, 1e-12);
        EXPECT_NEAR(at(general, y, y + apart, -d), mean, 1e-12);
      }
    }
    double level = 0, faded_level = 0;
    for (int d = 0; d < n; ++d) level += at(general, apart, 0, d) / n;
    for (int d = 0; d < n; ++d) faded_level += std::abs(at(faded, apart, 0, d) - level) / n;
    for (int d = 0; d < n; ++d)
      EXPECT_LE(std::abs(at(faded, apart, 0, d) - level), std::abs(at(general, apart, 0, d) - level) + 1e-12);
    EXPECT_LT(faded_level, level);
  }
}

TEST(Search, FindsWhatIsBetterAndKeepsRowsPermutations) {
  const int n = 12;
  const RowKernel kernel = row_kernel(bin_loads(cluster(500, 300, 7), 16), n, n);
  const Pattern start = make_pattern(PatternKind::diagonal, n, 1, 1);
  const double before = placement_cv2(start, kernel);
  const Pattern shifts = search_pattern(kernel, start, {SearchFamily::shifts, 20000, 1});
  const Pattern tile = search_pattern(kernel, shifts, {SearchFamily::tile, 100000, 1});
  const double with_shifts = placement_cv2(shifts, kernel), with_tile = placement_cv2(tile, kernel);
  EXPECT_LT(with_shifts, 0.5 * before);
  EXPECT_LE(with_tile, with_shifts * 1.0001);
  EXPECT_LE(with_shifts, placement_cv2(make_pattern(PatternKind::van_der_corput, n, 1, 1), kernel));
  for (int y = 0; y < n; ++y) {
    std::vector<bool> seen(n, false);
    for (int x = 0; x < n; ++x) seen[size_t(tile.at(x, y))] = true;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), n);
    EXPECT_EQ((shifts.at(0, y) + 3) % n, shifts.at(3, y));
  }
  EXPECT_EQ(search_pattern(kernel, start, {SearchFamily::shifts, 20000, 1}).owner, shifts.owner);
  EXPECT_THROW((void)search_pattern(kernel, make_pattern(PatternKind::x_shift, n, 1, 1), {}), std::invalid_argument);
}

// The batches together contain the frame's fragments, for every partition.
TEST(Partition, BatchesAddUpToTheFrame) {
  for (const char* scene : {"generated:overlap-10k?triangles=500", "generated:city"}) {
    const Frame frame = small_scene(scene, 160, 96);
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(frame);
    RenderOptions options;
    options.machine = MachineKind::cpu;
    const FragmentMap map = render_maps(renderer, prepared, frame, "f", options).at(0);
    const BinLoads bins = bin_loads(map, kPartitionBin);
    const TriangleStream stream(frame);
    EXPECT_EQ(stream.triangles(), triangle_count(frame));
    const std::vector<Partition> all = partition_frame(frame, {50, 7, 2}, [](double) {});
    ASSERT_GT(all.size(), 6u);
    const Pattern pattern = make_pattern(PatternKind::van_der_corput, 6, 1, 1);
    EXPECT_NEAR(mean_cv(pattern, all[0], bins.x, kPartitionBin), pattern_load(pattern, bins).cv, 1e-9);
    EXPECT_NEAR(mean_cv(pattern, all[0], bins.x, 32), pattern_load(pattern, bin_loads(map, 32)).cv, 1e-9);
    double last = 0;
    for (const Partition& p : all) {
      if (p.batches > 50) {
        EXPECT_EQ(p.loads.size(), 7u);
        continue;
      }
      ASSERT_EQ(p.loads.size(), p.batches);
      std::vector<uint64_t> sum(bins.load.size(), 0);
      for (const BatchLoad& batch : p.loads) {
        for (const auto& [bin, fragments] : batch) sum[bin] += fragments;
      }
      EXPECT_EQ(sum, bins.load) << scene << " in " << p.batches;
      last = mean_cv(pattern, p, bins.x, kPartitionBin);
    }
    EXPECT_GT(last, mean_cv(pattern, all[0], bins.x, kPartitionBin));  // parts are less even than the whole
  }
}

// Parts of a draw with a vertex program have the positions that the program computed.
TEST(Partition, PartsOfDrawsWithVertexProgramsAreFrames) {
  Frame frame = small_scene("generated:city", 160, 96);
  for (Command& command : frame.commands)
    if (auto* draw = std::get_if<DrawCommand>(&command)) draw->vertices = 0;
  const TriangleStream stream(frame);
  EXPECT_NO_THROW(validate(stream.slice(0, stream.triangles())));
}

TEST(Blocks, GeometryFillsTheGaps) {
  const auto even = simulated_blocks({4, 1, 1}, 6);
  for (const BlockShare& b : even) {
    EXPECT_NEAR(b.raster_ms + b.geometry_ms, 4, 1e-12);
    EXPECT_NEAR(b.idle_ms, 0, 1e-12);
  }
  const auto idle = simulated_blocks({9, 2, 1}, 3);
  EXPECT_NEAR(idle[0].geometry_ms, 0, 1e-12);
  EXPECT_NEAR(idle[1].geometry_ms, 1, 1e-12);
  EXPECT_NEAR(idle[2].geometry_ms, 2, 1e-12);
  EXPECT_NEAR(idle[2].idle_ms, 6, 1e-12);
  const auto more = simulated_blocks({1, 2}, 9);
  EXPECT_NEAR(more[0].geometry_ms + more[1].geometry_ms, 9, 1e-12);
  EXPECT_NEAR(more[0].raster_ms + more[0].geometry_ms, 6, 1e-12);
}

// The trace accounts for every rasterizer's time, and 2500 multiply-adds make the work follow the fragments.
TEST(Work, FollowsTheFragments) {
  const Frame frame = small_scene("generated:overlap-10k?triangles=2000", 640, 360);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions options;
  options.machine = MachineKind::cpu;
  options.workers = 2;
  options.shading = Shading::multiply_add;
  options.rasterizers = 8;  // for 15 bins: each has one or two of them
  options.bin = 128;
  options.pattern = PatternKind::diagonal;
  options.trace = options.thread_time = true;
  const auto works = measure_work(renderer, prepared, std::span(&options, 1), 2, [](size_t) {});
  const RasterizerWork& w = works.at(0);
  ASSERT_EQ(w.ms.size(), 8u);
  EXPECT_GT(w.geometry_ms, 0);
  for (const double ms : w.ms) EXPECT_GT(ms, 0);
  EXPECT_GE(w.critical(), w.total() / 8);
  const auto most =
      std::max_element(w.statistics.rasterizer_fragments.begin(), w.statistics.rasterizer_fragments.end());
  const auto least =
      std::min_element(w.statistics.rasterizer_fragments.begin(), w.statistics.rasterizer_fragments.end());
  EXPECT_GT(w.ms[size_t(most - w.statistics.rasterizer_fragments.begin())],
            w.ms[size_t(least - w.statistics.rasterizer_fragments.begin())]);
}

}  // namespace
}  // namespace brokkr::lab
