// How evenly a pattern spreads the work: load per rasterizer and its coefficient of variation [Kerbl17, 4.5].
#pragma once

#include <cstdint>
#include <vector>

#include "brokkr/pattern.h"

namespace brokkr {

struct LoadStatistics {
  std::vector<uint64_t> load;  // fragments (or whatever was counted) of each rasterizer
  uint64_t total = 0, least = 0, most = 0;
  double mean = 0, deviation = 0;  // of the population: all rasterizers are measured, none is a sample
  double cv = 0;                   // c_v = deviation / mean; 0 where there is no load
  double imbalance = 1;            // most / mean: how much longer the frame takes than with an even spread
};

// Statistics of loads that are known already. Empty input gives the defaults.
LoadStatistics load_statistics(std::vector<uint64_t> load);

// Loads of the pattern's rasterizers from the load of each bin: bins_x * bins_y values, row by row from the bottom.
// Throws std::invalid_argument where `bin_load` has another size.
LoadStatistics load_statistics(const Pattern& pattern, const std::vector<uint64_t>& bin_load, int bins_x, int bins_y);

}  // namespace brokkr
