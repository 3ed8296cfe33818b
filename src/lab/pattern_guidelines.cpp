#include "lab/pattern_guidelines.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace brokkr::lab {
namespace {

double deviation(const std::vector<double>& values) {
  double mean = 0, squares = 0;
  for (const double v : values) mean += v / double(values.size());
  for (const double v : values) squares += (v - mean) * (v - mean);
  return std::sqrt(squares / double(values.size()));
}

}  // namespace

std::vector<SpacingStep> spacing_steps(const FragmentMap& map, int bin) {
  const BinLoads bins = bin_loads(map, bin);
  const int wide = map.width / bin / 2, high = map.height / bin / 2;  // groups
  std::vector<SpacingStep> steps;
  if (wide < 1 || high < 1) return steps;
  for (int i = 0; i == 0 || (2 * i + 2) * bin * 2 <= map.height; ++i) {
    std::vector<double> load(size_t(wide) * size_t(high), 0.0);
    for (int y = 0; y < 2 * high; ++y) {
      for (int x = 0; x < 2 * wide; ++x) {
        // The bins of odd columns and rows were moved: they belong to the group i places back.
        const int group_x = x % 2 == 0 ? x / 2 : ((x / 2 - i) % wide + wide) % wide;
        const int group_y = y % 2 == 0 ? y / 2 : ((y / 2 - i) % high + high) % high;
        load[size_t(group_y) * size_t(wide) + size_t(group_x)] +=
            double(bins.load[size_t(y) * size_t(bins.x) + size_t(x)]);
      }
    }
    const double sigma = deviation(load);
    steps.push_back({2 * i, sigma, i == 0 ? sigma : steps.front().sigma});
  }
  return steps;
}

double orientation_sigma(const FragmentMap& map, int samples, int angle, int row_step) {
  const int half = samples / 2;
  const int first_x = half, last_x = map.width - half, first_y = half, last_y = map.height - half;
  if (first_x >= last_x || first_y >= last_y || map.total == 0) return 0;
  // Bresenham's line: one step along the longer axis, the nearest pixel across.
  const double radians = angle * std::numbers::pi / 180, sx = std::sin(radians), sy = std::cos(radians);
  const bool along_x = std::abs(sx) >= std::abs(sy);
  std::vector<std::ptrdiff_t> offset;
  for (int i = -half; i < samples - half; ++i) {
    const int across = std::min(int(std::floor(i * (along_x ? sy / sx : sx / sy) + 0.5)), samples - half - 1);
    const int dx = along_x ? i : across, dy = along_x ? across : i;
    offset.push_back(std::ptrdiff_t(dy) * map.width + dx);
  }
  const size_t width = size_t(last_x - first_x);
  std::vector<uint32_t> sum(width);
  double total = 0, squares = 0, count = 0;
  const double mean = map.mean() * samples;  // subtracted first: the squares would cancel
  for (int y = first_y; y < last_y; y += row_step) {
    std::fill(sum.begin(), sum.end(), 0u);
    const uint32_t* row = map.count.data() + size_t(y) * size_t(map.width) + size_t(first_x);
    for (const std::ptrdiff_t o : offset) {
      const uint32_t* from = row + o;
      for (size_t x = 0; x < width; ++x) sum[x] += from[x];
    }
    for (const uint32_t s : sum) {
      const double d = double(s) - mean;
      total += d;
      squares += d * d;
    }
    count += double(width);
  }
  return std::sqrt(std::max(0.0, squares / count - (total / count) * (total / count))) / mean;
}

}  // namespace brokkr::lab
