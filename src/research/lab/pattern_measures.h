// Measurements of pattern experiments: the number of fragments at each pixel of a frame, how evenly patterns distribute
// them, how they are clustered and oriented [Kerbl17, 3.2, 3.3, Kerbl18, 7.3], and the measured work of each rasterizer
// in the pipeline ([Kerbl17, 5], [Kerbl18, 7.5]).
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

#include "bin/pattern_image.h"
#include "brokkr/renderer.h"

namespace brokkr::lab {

// One picture: a frame's main target, or one of its layers if the frame has several views.
struct FragmentMap {
  std::string name;             // "minetest", or "courtyard.3" for one of several layers
  int width = 0, height = 0;    // pixels
  std::vector<uint32_t> count;  // width * height, rows from the bottom: fragments, including hidden ones
  uint64_t total = 0;
  uint64_t hash = 0;  // hash of size and counts: identifies the picture of stored results

  double mean() const { return double(total) / (double(width) * height); }
};

// A grid of square bins over a map; bins at the right and upper edge may be partial.
struct BinLoads {
  int bin = 0, x = 0, y = 0;   // pixels; bins
  std::vector<uint64_t> load;  // x * y, row by row from the bottom
};

// Computes `total` and `hash`. Throws std::invalid_argument unless there are width * height counts.
FragmentMap make_map(std::string name, int width, int height, std::vector<uint32_t> count);

// Renders the frame once and counts the fragments in its main target; layers without fragments are omitted.
std::vector<FragmentMap> render_maps(Renderer& renderer, PreparedFrame& prepared, const Frame& frame,
                                     const std::string& name, RenderOptions options);

// `bin`: edge in pixels, >= 1.
BinLoads bin_loads(const FragmentMap& map, int bin);

class PatternBook {
 public:
  // The pattern for at least x * y bins. May be called from several threads.
  std::shared_ptr<const Pattern> get(const PatternChoice& choice, int rasterizers, int x, int y, uint32_t seed);

 private:
  using Key = std::tuple<PatternKind, int, uint32_t>;
  std::mutex mutex_;
  // Cache of the patterns that repeat; others would be as large as the screen.
  std::map<Key, std::shared_ptr<const Pattern>> known_;
};

// The evenness with which a pattern distributes a map. For random patterns, all values except the loads are means over
// the seeds.
LoadStatistics pattern_load(PatternBook& book, const PatternChoice& choice, int rasterizers, const BinLoads& bins,
                            uint32_t seed, int seeds);
inline LoadStatistics pattern_load(const Pattern& pattern, const BinLoads& bins) {
  return load_statistics(pattern, bins.load, bins.x, bins.y);
}

double deviation(const std::vector<double>& values);  // the population's standard deviation

// Groups of four bins with one rasterizer each, whose bins move apart step by step.
struct SpacingStep {
  int distance = 0;      // slots by which a group's bins were moved apart: 0, 2, 4, ...
  double sigma = 0;      // deviation of the groups' loads, in fragments
  double reference = 0;  // sigma at distance 0
};
// Returns the steps up to the one at which a group would span more than half of the map's height. Bins move within the
// map's whole groups and wrap around; remaining bins at the edges are ignored. Empty if the map has no whole group.
std::vector<SpacingStep> spacing_steps(const FragmentMap& map, int bin);

// The standard deviation of the fragments on lines of `samples` pixels through the centre of every samples x samples
// window (in every `row_step`-th row), in units of the mean, normalised per pixel as in [Kerbl17]. `angle`: degrees
// from the vertical, as in [Kerbl17, Table 1]: 0 vertical, 90 horizontal. 0 if the map is smaller than the window.
double orientation_sigma(const FragmentMap& map, int samples, int angle, int row_step);

// The time that a launch's blocks spent on each rasterizer and on geometry, from its trace; without a trace, on all
// rasterizers together.
struct RasterizerWork {
  std::vector<double> ms;  // per rasterizer
  double geometry_ms = 0;
  std::vector<double> frame_ms;  // per launch
  Statistics statistics;         // those of the first launch, without the trace

  double total() const;
  double critical() const;  // the maximum: the time of a machine with one processor per rasterizer
  double cv() const;
  double least_ms() const;  // minimum over the launches
};

// Launches the settings in turn, `runs` times each, so that other load affects all alike. Keeps the minimum time of
// each rasterizer and of geometry, because other load only adds to it. `launched` is called before every launch.
std::vector<RasterizerWork> measure_work(Renderer& renderer, PreparedFrame& prepared,
                                         std::span<const RenderOptions> settings, int runs,
                                         const std::function<void(size_t)>& launched);

// One processor per rasterizer, which also processes geometry while it has nothing to rasterize [Kerbl18, Fig. 7.13].
struct BlockShare {
  double raster_ms = 0, geometry_ms = 0, idle_ms = 0;
};
std::vector<BlockShare> simulated_blocks(const std::vector<double>& raster_ms, double geometry_ms);

}  // namespace brokkr::lab
