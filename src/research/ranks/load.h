// From a frame and its costs to what the model runs.
#pragma once

#include <memory>

#include "base/memory_budget.h"
#include "ranks/costs.h"
#include "ranks/model.h"

namespace brokkr::ranks {

// A frame that the model is asked about again and again.
class [[gnu::visibility("hidden")]] LoadedFrame {
 public:
  // Loads the file that the costs name. Throws std::runtime_error where that cannot be, or `budget` has no memory for
  // it.
  LoadedFrame(const FrameCosts& costs, const RankSettings& settings, const std::shared_ptr<MemoryBudget>& budget);
  ~LoadedFrame();

  // `ranks` is one of those that were measured. Throws std::runtime_error.
  std::vector<SegmentLoad> loads(int ranks, uint32_t merge);
  double geometry_us() const;
  const FrameCosts& costs() const { return costs_; }

 private:
  struct Parts;
  const FrameCosts& costs_;
  const RankSettings settings_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace brokkr::ranks
