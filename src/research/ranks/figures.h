// The figures of the paper's evaluation, by the model [Kim17, 5], beside what the paper says of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "ranks/costs.h"
#include "ranks/model.h"

namespace brokkr::ranks {

// From a frame and its costs to what the model runs.

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

struct FigureTable {
  std::string title;
  std::vector<std::string> heading;
  std::vector<std::vector<std::string>> rows;
  std::string paper;  // what it says there
};

struct FigureInfo {
  const char *name, *what;
};
std::vector<FigureInfo> figure_list();

// The settings of the table of times; the others have the paper's own.
struct TimesSettings {
  Network network;
  uint32_t merge = 4096;
  bool as_here = false;  // ModelSettings::as_here
};
inline constexpr const char* kTimes = "times";  // its name

// Throws std::invalid_argument for a name that is not in the list, and std::runtime_error for costs that do not
// suffice.
FigureTable make_figure(const std::string& name, const Costs& costs, const RankSettings& settings,
                        const TimesSettings& times = {});

}  // namespace brokkr::ranks
