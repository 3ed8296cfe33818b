// Statistics of frame times; frames of two variants drawn in pairs, and conclusions from them. The command line's
// `bench --ab` and the viewer's panel use the same texts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "log/machine_facts.h"

namespace brokkr {

// The p-quantile, p in [0, 1], of values in ascending order, by linear interpolation at position (n - 1) p ([Hyndman96,
// type 7], like NumPy's percentile). 0 for no values.
double quantile(std::span<const double> sorted, double p);
// The 0.5-quantile of values in any order.
double median(std::vector<double> values);

struct FrameStatistics {
  size_t frames = 0;
  double mean_ms = 0, min_ms = 0, max_ms = 0;
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

// Milliseconds of the frames of A and of B, one per pair. Each variant comes first in half of the pairs, so that other
// activity of the computer affects both alike.
struct Race {
  std::array<std::vector<double>, 2> ms;
  // Processor time of all threads in milliseconds during the same frames; empty if not measured.
  std::array<std::vector<double>, 2> processor_ms;
  // The number of consecutive pairs measured under the same conditions, such as which renderer drew A and which drew B.
  // These pairs resemble each other and are represented by their median. 1: every pair counts separately.
  size_t turn = 1;
};

// paired_ratio of the turns' medians.
RatioEstimate race_ratio(const Race& race);

enum class Verdict : uint8_t { too_few, no_difference, a_faster, b_faster };

// no_difference if the interval contains 1.
Verdict verdict(const RatioEstimate& ratio);
// "not significant", "B is faster".
const char* verdict_text(Verdict verdict);

// "A / B = 1.0020 (0.9911 to 1.0132, 95 % confidence)"; without the parenthesis if there are too few pairs.
std::string ratio_text(const RatioEstimate& ratio);

// The number of times that exceed the upper quartile by more than three times the interquartile range ([Tukey77] calls
// them far out).
size_t outliers(const std::vector<double>& ms);

// The number of frames that took long without more processor work: frames of at least a millisecond whose processor
// time per millisecond is below 0.7 of its 0.9-quantile. Other programs had the processors. 0 if processor times are
// unknown.
size_t interrupted(const std::vector<double>& ms, const std::vector<double>& processor_ms);

// The warnings of load_warnings, and warnings about outliers and interrupted frames if these are more than one frame in
// twenty.
std::vector<std::string> race_warnings(const Race& race, const MachineLoad& load);

}  // namespace brokkr
