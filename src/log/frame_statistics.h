// Statistics of a frame-time log.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace brokkr {

// The p-quantile, p in [0, 1], of values in ascending order: linear interpolation at position (n - 1) p ([Hyndman96,
// type 7], which NumPy's percentile computes). 0 for no values.
double quantile(std::span<const double> sorted, double p);
// The 0.5-quantile of values in any order.
double median(std::vector<double> values);

struct FrameStatistics {
  size_t frames = 0;
  double mean_ms = 0, least_ms = 0, most_ms = 0;
  double median_ms = 0, p95_ms = 0, p99_ms = 0, p999_ms = 0;
  double one_percent_low_fps = 0;  // 1000 / mean of the slowest ceil(n / 100) frame times
};
inline constexpr const char* kOnePercentLowFormula =
    "1000 / mean(frame times in ms of the slowest ceil(frames / 100) frames)";

// Frame times in milliseconds, in any order.
FrameStatistics frame_statistics(std::vector<double> frame_ms);

}  // namespace brokkr
