// A picture of a bin pattern, for `brokkr pattern`, the documentation and the viewer.
#pragma once

#include <cstdint>
#include <vector>

#include "brokkr/pattern.h"

namespace brokkr {

struct PatternImage {
  int width = 0, height = 0;     // pixels
  std::vector<uint32_t> pixels;  // RGBA8 (0xAABBGGRR), width * height, rows bottom to top
};

struct PatternImageOptions {
  int bins_x = 0, bins_y = 0;  // part of the plane to show, from the lower left bin, 1..4096; 0: one period
  int cell = 16;               // pixels per bin edge, 1..256; cells of 6 pixels or more get a dark line between them
  bool highlight = false;      // only rasterizer 0 is in colour, the others are grey
};

// An opaque colour (0xAABBGGRR) for a rasterizer in 0..4095; no two rasterizers share one.
uint32_t rasterizer_color(int rasterizer);

// Throws std::invalid_argument if an option is out of range or the picture exceeds 2^28 pixels.
PatternImage draw_pattern(const Pattern& pattern, const PatternImageOptions& options = {});

// Tells how evenly a pattern spreads the work: load per rasterizer and its coefficient of variation [Kerbl17, 4.5].
struct LoadStatistics {
  std::vector<uint64_t> load;  // fragments of each rasterizer, or whatever was counted
  uint64_t total = 0, min_load = 0, max_load = 0;
  double mean = 0, deviation = 0;  // of the whole population: all rasterizers are measured
  double cv = 0;                   // c_v = deviation / mean; 0 if there is no load
  double imbalance = 1;            // max_load / mean: the time of the frame relative to an even spread
};

// Statistics of known loads. Empty input gives the defaults.
LoadStatistics load_statistics(std::vector<uint64_t> load);

// The loads of the pattern's rasterizers, from the load of each bin: bins_x * bins_y values, row by row from the
// bottom. Throws std::invalid_argument if `bin_load` has another size.
LoadStatistics load_statistics(const Pattern& pattern, const std::vector<uint64_t>& bin_load, int bins_x, int bins_y);

}  // namespace brokkr
