#include "log/race.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace brokkr {

RatioEstimate race_ratio(const Race& race) {
  std::array<std::vector<double>, 2> turns;
  const size_t pairs = std::min(race.ms[0].size(), race.ms[1].size()), turn = std::max<size_t>(1, race.turn);
  for (size_t begin = 0; begin < pairs; begin += turn) {
    const auto from = std::ptrdiff_t(begin), to = std::ptrdiff_t(std::min(begin + turn, pairs));
    for (size_t i = 0; i < 2; ++i) turns[i].push_back(median({race.ms[i].begin() + from, race.ms[i].begin() + to}));
  }
  return paired_ratio(turns[0], turns[1]);
}

Verdict verdict(const RatioEstimate& r) {
  if (!std::isfinite(r.high) || r.low <= 0) return Verdict::too_few;
  return r.low > 1 ? Verdict::b_faster : r.high < 1 ? Verdict::a_faster : Verdict::no_difference;
}

const char* verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::too_few: return "too few pairs to tell";
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
      warnings.push_back(fmt::format("other programs had the processors during {} of {} frames of {}", cut, all, name));
    if (20 * far > all)
      warnings.push_back(fmt::format("far above the others, as outliers, lie {} of {} times of {}", far, all, name));
  }
  return warnings;
}

}  // namespace brokkr
