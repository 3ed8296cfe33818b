#include "log/frame_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace brokkr {
namespace {

// The largest k for which at most k - 1 of n fair coins show heads with a probability of at most `tail`. The k-th
// smallest and the k-th largest of n values then enclose the median, with an error of at most `tail` on each side. 0 if
// there is no such k.
size_t sign_test_rank(size_t n, double tail) {
  const double count = double(n), half_to_n = -count * std::log(2.0);
  double below = 0;  // P(heads < k)
  for (size_t k = 0; k <= n / 2; ++k) {
    const double heads = double(k);
    below += std::exp(std::lgamma(count + 1) - std::lgamma(heads + 1) - std::lgamma(count - heads + 1) + half_to_n);
    if (below > tail) return k;
  }
  return n / 2;
}

std::vector<double> usable(std::span<const double> values) {
  std::vector<double> sorted;
  std::copy_if(values.begin(), values.end(), std::back_inserter(sorted),
               [](double value) { return value > 0 && std::isfinite(value); });
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

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
  s.min_ms = ms.front();
  s.max_ms = ms.back();
  s.median_ms = quantile(ms, 0.5);
  s.p95_ms = quantile(ms, 0.95);
  s.p99_ms = quantile(ms, 0.99);
  s.p999_ms = quantile(ms, 0.999);
  const size_t slow = (ms.size() + 99) / 100;
  const double sum = std::accumulate(ms.end() - std::ptrdiff_t(slow), ms.end(), 0.0);
  s.one_percent_low_fps = sum > 0 ? 1000 * double(slow) / sum : 0;
  return s;
}

RatioEstimate paired_ratio(std::span<const double> a, std::span<const double> b, double confidence) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] > 0 && b[i] > 0 && std::isfinite(a[i] / b[i])) ratios.push_back(a[i] / b[i]);
  }
  std::sort(ratios.begin(), ratios.end());
  RatioEstimate r{quantile(ratios, 0.5), 0, std::numeric_limits<double>::infinity(), confidence, ratios.size()};
  const size_t rank = sign_test_rank(ratios.size(), (1 - confidence) / 2);
  if (rank == 0) return r;
  r.low = ratios[rank - 1];
  r.high = ratios[ratios.size() - rank];
  return r;
}

RatioEstimate ratio_of_medians(std::span<const double> a, std::span<const double> b, double confidence, uint32_t seed) {
  constexpr int kResamples = 4000;
  constexpr size_t kFewest = 6;  // resamples of fewer values say too little about the tails
  const std::vector<double> first = usable(a), second = usable(b);
  const size_t fewer = std::min(first.size(), second.size());
  RatioEstimate r{0, 0, std::numeric_limits<double>::infinity(), confidence, fewer};
  if (fewer == 0) return r;
  r.ratio = quantile(first, 0.5) / quantile(second, 0.5);
  if (fewer < kFewest) return r;
  std::mt19937_64 random(seed);
  const auto resampled_median = [&](const std::vector<double>& sorted) {
    std::gamma_distribution<double> gamma((double(sorted.size()) + 1) / 2);
    const double x = gamma(random), y = gamma(random);
    return quantile(sorted, x / (x + y));
  };
  std::vector<double> ratios(kResamples);
  for (double& ratio : ratios) ratio = resampled_median(first) / resampled_median(second);
  std::sort(ratios.begin(), ratios.end());
  r.low = quantile(ratios, (1 - confidence) / 2);
  r.high = quantile(ratios, (1 + confidence) / 2);
  return r;
}

RatioEstimate race_ratio(const Race& race) {
  std::array<std::vector<double>, 2> turns;
  const size_t pairs = std::min(race.ms[0].size(), race.ms[1].size()), turn = std::max<size_t>(1, race.turn);
  for (size_t begin = 0; begin < pairs; begin += turn) {
    const auto first = std::ptrdiff_t(begin), end = std::ptrdiff_t(std::min(begin + turn, pairs));
    for (size_t i = 0; i < 2; ++i) turns[i].push_back(median({race.ms[i].begin() + first, race.ms[i].begin() + end}));
  }
  return paired_ratio(turns[0], turns[1]);
}

Verdict verdict(const RatioEstimate& r) {
  if (!std::isfinite(r.high) || r.low <= 0) return Verdict::too_few;
  return r.low > 1 ? Verdict::b_faster : r.high < 1 ? Verdict::a_faster : Verdict::no_difference;
}

const char* verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::too_few: return "too few pairs";
    case Verdict::no_difference: break;
    case Verdict::a_faster: return "A is faster";
    case Verdict::b_faster: return "B is faster";
  }
  return "not significant";
}

std::string ratio_text(const RatioEstimate& r) {
  std::string text = fmt::format("A / B = {:.4f}", r.ratio);
  if (verdict(r) != Verdict::too_few)
    text += fmt::format(" ({:.4f} to {:.4f}, {:.0f} % confidence)", r.low, r.high, 100 * r.confidence);
  return text;
}

size_t outliers(const std::vector<double>& ms) {
  std::vector<double> sorted = ms;
  std::sort(sorted.begin(), sorted.end());
  const double lower = quantile(sorted, 0.25), upper = quantile(sorted, 0.75);
  const double limit = upper + 3 * (upper - lower);
  return size_t(sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), limit));
}

size_t interrupted(const std::vector<double>& ms, const std::vector<double>& processor_ms) {
  constexpr double kShortestMs = 1;  // the wake-up time of threads dominates shorter frames
  std::vector<double> busy;
  for (size_t i = 0; i < std::min(ms.size(), processor_ms.size()); ++i) {
    if (ms[i] >= kShortestMs) busy.push_back(processor_ms[i] / ms[i]);
  }
  std::sort(busy.begin(), busy.end());
  const double limit = 0.7 * quantile(busy, 0.9);
  return size_t(std::lower_bound(busy.begin(), busy.end(), limit) - busy.begin());
}

std::vector<std::string> race_warnings(const Race& race, const MachineLoad& load) {
  std::vector<std::string> warnings = load_warnings(load);
  for (size_t i = 0; i < 2; ++i) {
    const char name = i == 0 ? 'A' : 'B';
    const size_t all = race.ms[i].size(), cut = interrupted(race.ms[i], race.processor_ms[i]),
                 far = outliers(race.ms[i]);
    if (20 * cut > all)
      warnings.push_back(
          fmt::format("other programs used the processors during {} of {} frames of {}", cut, all, name));
    if (20 * far > all)
      warnings.push_back(fmt::format("{} of {} times of {} are outliers, far above the others", far, all, name));
  }
  return warnings;
}

}  // namespace brokkr
