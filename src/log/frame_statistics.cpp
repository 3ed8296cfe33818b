#include "log/frame_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace brokkr {

double quantile(std::span<const double> sorted, double p) {
  if (sorted.empty()) return 0;
  const double position = std::clamp(p, 0.0, 1.0) * double(sorted.size() - 1);
  const size_t below = size_t(position), above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (position - double(below));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

FrameStatistics frame_statistics(std::vector<double> ms) {
  FrameStatistics s;
  if (ms.empty()) return s;
  std::sort(ms.begin(), ms.end());
  s.frames = ms.size();
  s.mean_ms = std::accumulate(ms.begin(), ms.end(), 0.0) / double(ms.size());
  s.least_ms = ms.front();
  s.most_ms = ms.back();
  s.median_ms = quantile(ms, 0.5);
  s.p95_ms = quantile(ms, 0.95);
  s.p99_ms = quantile(ms, 0.99);
  s.p999_ms = quantile(ms, 0.999);
  const size_t slow = (ms.size() + 99) / 100;
  const double sum = std::accumulate(ms.end() - std::ptrdiff_t(slow), ms.end(), 0.0);
  s.one_percent_low_fps = sum > 0 ? 1000 * double(slow) / sum : 0;
  return s;
}

}  // namespace brokkr
