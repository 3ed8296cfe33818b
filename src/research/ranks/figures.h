// The figures of the paper's evaluation, by the model [Kim17, 5], beside what the paper says of them.
#pragma once

#include <string>
#include <vector>

#include "ranks/load.h"

namespace brokkr::ranks {

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

// What one table, that of times, is made with; the others have the paper's own.
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
