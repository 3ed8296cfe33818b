// How much faster the second of two measured programs is, with a confidence interval.
#pragma once

#include <cstdint>
#include <span>

namespace brokkr {

struct RatioEstimate {
  double ratio = 0;  // above 1: the second is faster
  // interval that holds the true ratio with at least `confidence`; low 0 and high infinity where there are too few
  // frames to say
  double low = 0, high = 0;
  double confidence = 0.95;
  size_t frames = 0;  // pairs, or the smaller number of frames
};

// For frames of A and B that alternated: the median of a[i] / b[i], so that drift of the computer affects both alike.
// Its interval lies between order statistics of the ratios, by the binomial distribution of how many lie below the
// median (sign test): exact for any distribution of the times. Pairs with a time that is not positive are left out, and
// so are times beyond the shorter span.
RatioEstimate paired_ratio(std::span<const double> a, std::span<const double> b, double confidence = 0.95);

// For frames of A and B that did not alternate (two logs): median(a) / median(b), with the percentile bootstrap's
// interval. The median of a resample is the quantile of the sample at a Beta-distributed place, which is drawn instead.
RatioEstimate ratio_of_medians(std::span<const double> a, std::span<const double> b, double confidence = 0.95,
                               uint32_t seed = 1);

}  // namespace brokkr
