// The figures of the paper's evaluation, computed by the model [Kim17, 5], beside the paper's own findings.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "ranks/costs.h"
#include "ranks/model.h"

namespace brokkr::ranks {

// Converts a frame and its costs to the model's input.

// A frame for which the model runs many times.
class [[gnu::visibility("hidden")]] LoadedFrame {
 public:
  // Loads the file that the costs name. Throws std::runtime_error if it cannot be loaded, or if `budget` has too little
  // memory for it.
  LoadedFrame(const FrameCosts& costs, const RankSettings& settings, const std::shared_ptr<MemoryBudget>& budget);
  ~LoadedFrame();

  // `ranks`: one of the measured numbers. Throws std::runtime_error.
  std::vector<SegmentLoad> loads(int ranks, uint32_t merge);
  double geometry_us() const;
  const FrameCosts& costs() const { return costs_; }

 private:
  struct Parts;
  const FrameCosts& costs_;
  const RankSettings settings_;
  std::unique_ptr<Parts> parts_;
};

// A cell of a table: its text, and the number that the text shows, if it shows one.
struct FigureCell {
  FigureCell(std::string words) : text(std::move(words)) {}
  FigureCell(const char* words) : text(words) {}
  FigureCell(std::string shown, double value) : text(std::move(shown)), number(value) {}

  std::string text;
  std::optional<double> number;
};

struct FigureTable {
  std::string title;
  std::vector<std::string> heading;
  std::vector<std::vector<FigureCell>> rows;
  std::string paper;  // the paper's finding

  std::vector<std::vector<std::string>> texts() const;  // the texts of the rows
};

struct FigureInfo {
  const char *name, *what;
};
std::vector<FigureInfo> figure_list();

// The settings of the table of times; other figures use the paper's settings.
struct TimesSettings {
  Network network;
  uint32_t merge = 4096;
  bool as_here = false;  // ModelSettings::as_here
};
inline constexpr const char* kTimes = "times";  // name of the table of times

// Throws std::invalid_argument for an unknown name, and std::runtime_error if the costs are incomplete.
FigureTable make_figure(const std::string& name, const Costs& costs, const RankSettings& settings,
                        const TimesSettings& times = {});

}  // namespace brokkr::ranks
