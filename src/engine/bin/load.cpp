#include "bin/load.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace brokkr {

LoadStatistics load_statistics(std::vector<uint64_t> load) {
  LoadStatistics s;
  s.load = std::move(load);
  if (s.load.empty()) return s;
  for (const uint64_t l : s.load) s.total += l;
  const auto [least, most] = std::minmax_element(s.load.begin(), s.load.end());
  s.least = *least;
  s.most = *most;
  if (s.total == 0) return s;
  const double count = double(s.load.size());
  s.mean = double(s.total) / count;
  double squares = 0;  // of the differences from the mean, since in plain sums of squares digits would cancel
  for (const uint64_t l : s.load) squares += (double(l) - s.mean) * (double(l) - s.mean);
  s.deviation = std::sqrt(squares / count);
  s.cv = s.deviation / s.mean;
  s.imbalance = double(s.most) / s.mean;
  return s;
}

LoadStatistics load_statistics(const Pattern& pattern, const std::vector<uint64_t>& bin_load, int bins_x, int bins_y) {
  if (bins_x < 0 || bins_y < 0 || bin_load.size() != size_t(bins_x) * size_t(bins_y)) {
    throw std::invalid_argument("load statistics: " + std::to_string(bin_load.size()) + " loads for " +
                                std::to_string(bins_x) + " x " + std::to_string(bins_y) +
                                " bins; give one load per bin");
  }
  std::vector<uint64_t> load(size_t(pattern.rasterizers), 0);
  size_t bin = 0;
  for (int y = 0; y < bins_y; ++y) {
    for (int x = 0; x < bins_x; ++x) load[size_t(pattern.at(x, y))] += bin_load[bin++];
  }
  return load_statistics(std::move(load));
}

}  // namespace brokkr
