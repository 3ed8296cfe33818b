// What pattern experiments look at, and what they find: how many fragments the pipeline produced at each pixel of a
// frame, how evenly patterns deal them out, how they are clustered and oriented [Kerbl17, 3.2, 3.3, Kerbl18, 7.3], and
// the measured work of every rasterizer in the pipeline itself ([Kerbl17, 5], [Kerbl18, 7.5]).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "bin/load.h"
#include "brokkr/renderer.h"

namespace brokkr::lab {

// One picture: a frame's main target, or one layer of it where the frame has several views.
struct FragmentMap {
  std::string name;             // "minetest"; with several layers "courtyard.3"
  int width = 0, height = 0;    // pixels
  std::vector<uint32_t> count;  // width * height, rows from the bottom: fragments, hidden ones included
  uint64_t total = 0;
  uint64_t hash = 0;  // of size and counts: tells whether results on disk belong to this picture

  double mean() const { return double(total) / (double(width) * height); }
};

// A grid of square bins over a map; those at the right and upper edge may be cut.
struct BinLoads {
  int bin = 0, x = 0, y = 0;   // pixels; bins
  std::vector<uint64_t> load;  // x * y, row by row from the bottom
};

// Fills in `total` and `hash`. Throws std::invalid_argument where the number of counts is not width * height.
FragmentMap make_map(std::string name, int width, int height, std::vector<uint32_t> count);

// Renders the frame once and counts the fragments on its main target; layers without fragments are left out.
std::vector<FragmentMap> render_maps(Renderer& renderer, PreparedFrame& prepared, const Frame& frame,
                                     const std::string& name, RenderOptions options);

// `bin`: edge in pixels, 1 or more.
BinLoads bin_loads(const FragmentMap& map, int bin);

class PatternBook {
 public:
  // The pattern for at least x * y bins. Safe to call from several threads.
  std::shared_ptr<const Pattern> get(const PatternChoice& choice, int rasterizers, int x, int y, uint32_t seed);

 private:
  using Key = std::tuple<PatternKind, int, uint32_t>;
  std::mutex mutex_;
  // The patterns that repeat; others would be as large as the screen.
  std::map<Key, std::shared_ptr<const Pattern>> known_;
};

// How evenly a pattern deals a map out: the mean of all but the loads themselves over the seeds where it is random.
LoadStatistics pattern_load(PatternBook& book, const PatternChoice& choice, int rasterizers, const BinLoads& bins,
                            uint32_t seed, int seeds);
inline LoadStatistics pattern_load(const Pattern& pattern, const BinLoads& bins) {
  return load_statistics(pattern, bins.load, bins.x, bins.y);
}

double deviation(const std::vector<double>& values);  // of the population

// Groups of four bins, one rasterizer each, drawn apart step by step.
struct SpacingStep {
  int distance = 0;      // slots that bins of a group were moved apart: 0, 2, 4, ...
  double sigma = 0;      // of the groups' loads, in fragments
  double reference = 0;  // sigma at distance 0
};
// Steps until a group would reach over more than half of the map's height. Bins move within the whole groups that the
// map has and wrap around; bins at the edges that form no whole group take no part. Empty where the map has no group.
std::vector<SpacingStep> spacing_steps(const FragmentMap& map, int bin);

// Deviation of the fragments on lines of `samples` pixels through the middle of every samples x samples window (of
// every `row_step`-th row), in units of the mean, normalised per pixel as in [Kerbl17]. `angle` in degrees from the
// vertical, as in [Kerbl17, Table 1]: 0 vertical, 90 horizontal. 0 where the map is smaller than the window.
double orientation_sigma(const FragmentMap& map, int samples, int angle, int row_step);

// Time that the launch's blocks spent on each rasterizer and on geometry, from its trace; without a trace, on all
// rasterizers together.
struct RasterizerWork {
  std::vector<double> ms;  // per rasterizer
  double geometry_ms = 0;
  std::vector<double> frame_ms;  // of each launch
  Statistics statistics;         // of the first launch, without the trace

  double total() const;
  double critical() const;  // the longest: the time of a machine with a processor per rasterizer
  double cv() const;
  double least_ms() const;  // of the launches
};

// Launches each setting `runs` times in turns, so that other load of the computer affects all of them alike, and keeps
// the least time of each rasterizer and of geometry: other load only adds to it. `launched` is called before every
// launch.
std::vector<RasterizerWork> measure_work(Renderer& renderer, PreparedFrame& prepared,
                                         std::span<const RenderOptions> settings, int runs,
                                         const std::function<void(size_t)>& launched);

// A processor per rasterizer that also takes part in geometry while it has nothing to rasterize [Kerbl18, Fig. 7.13].
struct BlockShare {
  double raster_ms = 0, geometry_ms = 0, idle_ms = 0;
};
std::vector<BlockShare> simulated_blocks(const std::vector<double>& raster_ms, double geometry_ms);

}  // namespace brokkr::lab
