// How evenly a pattern shares out a frame.
#pragma once

#include <string>
#include <vector>

#include "brokkr/renderer.h"
#include "ranks/settings.h"

namespace brokkr::ranks {

struct Balance {
  std::string pattern;
  double fragments = 0;   // of the rank with most, over the mean
  double primitives = 0;  // likewise
  double copies = 0;      // ranks that a primitive goes to, on average over those that some rank needs
};

// For each kind of pattern. Fragments are those of the main target. Throws what rendering throws.
std::vector<Balance> measure_balance(const Frame& frame, const RenderOptions& options, const RankSettings& settings,
                                     int ranks);

}  // namespace brokkr::ranks
