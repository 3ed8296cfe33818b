// Patterns, made once for many experiments: some take long to make.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "bin/load.h"
#include "lab/pattern_map.h"

namespace brokkr::lab {

// Whether the pattern's table depends on a seed, so that experiments average over several.
bool is_random(PatternKind kind);

class PatternBook {
 public:
  // The pattern for at least x * y bins. Safe to call from several threads.
  std::shared_ptr<const Pattern> get(PatternKind kind, int rasterizers, int x, int y, uint32_t seed);

 private:
  using Key = std::tuple<PatternKind, int, uint32_t>;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const Pattern>>
      known_;  // the patterns that repeat; others would be as large as the screen
};

// How evenly a pattern deals a map out; means over the seeds where it is random.
struct PatternLoad {
  double mean = 0, sigma = 0, cv = 0, imbalance = 1;  // fragments; see bin/load.h
};
PatternLoad pattern_load(PatternBook& book, PatternKind kind, int rasterizers, const BinLoads& bins, uint32_t seed,
                         int seeds);
PatternLoad pattern_load(const Pattern& pattern, const BinLoads& bins);

}  // namespace brokkr::lab
