#include "ranks/settings.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace brokkr::ranks {

std::shared_ptr<const OwnedBins> owned_bins(const Frame& frame, const RankSettings& settings, int rank, int ranks) {
  if (const SavedPattern* saved = saved_pattern(settings.pattern);
      saved != nullptr && saved->pattern.rasterizers != ranks)
    throw std::invalid_argument("rank-pattern: '" + saved->name + "' has " +
                                std::to_string(saved->pattern.rasterizers) + " owners for " + std::to_string(ranks) +
                                " ranks; start as many ranks as owners");
  if (ranks > kMostRanks)
    throw std::invalid_argument("ranks: " + std::to_string(ranks) + " are too many for one frame; start " +
                                std::to_string(kMostRanks) + " at most, or give each whole frames: --ranks frames");
  int bins_x = 1, bins_y = 1;
  for (const Target& target : frame.targets) {
    bins_x = std::max(bins_x, (target.width + settings.bin - 1) / settings.bin);
    bins_y = std::max(bins_y, (target.height + settings.bin - 1) / settings.bin);
  }
  auto owned = std::make_shared<OwnedBins>();
  owned->pattern = make_pattern(settings.pattern, ranks, bins_x, bins_y);
  owned->bin = settings.bin;
  owned->rank = uint32_t(rank);
  return owned;
}

}  // namespace brokkr::ranks
