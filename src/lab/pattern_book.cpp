#include "lab/pattern_book.h"

#include <utility>

namespace brokkr::lab {

bool is_random(PatternKind kind) {
  return kind == PatternKind::pseudo_random || kind == PatternKind::hierarchical_maximized_distance ||
         kind == PatternKind::sudoku;
}

std::shared_ptr<const Pattern> PatternBook::get(PatternKind kind, int rasterizers, int x, int y, uint32_t seed) {
  const bool repeats =
      kind != PatternKind::z_curve && kind != PatternKind::hilbert && kind != PatternKind::pseudo_random;
  if (!repeats) return std::make_shared<const Pattern>(make_pattern(kind, rasterizers, x, y, seed));
  const Key key{kind, rasterizers, is_random(kind) ? seed : 0};
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  }
  auto made = std::make_shared<const Pattern>(make_pattern(kind, rasterizers, x, y, seed));
  const std::lock_guard lock(mutex_);
  return known_.emplace(key, std::move(made)).first->second;
}

PatternLoad pattern_load(const Pattern& pattern, const BinLoads& bins) {
  const LoadStatistics s = load_statistics(pattern, bins.load, bins.x, bins.y);
  return {s.mean, s.deviation, s.cv, s.imbalance};
}

PatternLoad pattern_load(PatternBook& book, PatternKind kind, int rasterizers, const BinLoads& bins, uint32_t seed,
                         int seeds) {
  const int draws = is_random(kind) ? seeds : 1;
  PatternLoad sum{0, 0, 0, 0};
  for (int i = 0; i < draws; ++i) {
    const PatternLoad one = pattern_load(*book.get(kind, rasterizers, bins.x, bins.y, seed + uint32_t(i)), bins);
    sum.mean += one.mean / draws;
    sum.sigma += one.sigma / draws;
    sum.cv += one.cv / draws;
    sum.imbalance += one.imbalance / draws;
  }
  return sum;
}

}  // namespace brokkr::lab
