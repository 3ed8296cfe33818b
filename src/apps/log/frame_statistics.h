// Statistics of frame times, and the speedup between two variants with its confidence interval.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace brokkr {

// The p-quantile, p in [0, 1], of values in ascending order, by linear interpolation at position (n - 1) p ([Hyndman96,
// type 7], like NumPy's percentile). 0 for no values.
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

struct RatioEstimate {
  double ratio = 0;  // above 1: the second variant is faster
  // The interval that contains the true ratio with at least `confidence`; low 0 and high infinity if there are too few
  // frames.
  double low = 0, high = 0;
  double confidence = 0.95;
  size_t frames = 0;  // pairs, or the smaller number of frames
};

// For frames of A and B that alternated: the median of a[i] / b[i], so that drift of the computer affects both alike.
// The interval lies between order statistics of the ratios, by the binomial distribution of the number below the median
// (sign test): exact for any distribution of times. Pairs with a time that is not positive are omitted, and so are
// times beyond the shorter span.
RatioEstimate paired_ratio(std::span<const double> a, std::span<const double> b, double confidence = 0.95);

// For frames of A and B that did not alternate (two logs): median(a) / median(b), with the percentile bootstrap's
// interval. The median of a resample is the quantile of the sample at a Beta-distributed position, so that position is
// drawn instead.
RatioEstimate ratio_of_medians(std::span<const double> a, std::span<const double> b, double confidence = 0.95,
                               uint32_t seed = 1);

}  // namespace brokkr
