// Results of `brokkr simt` as tables, JSON and CSV.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simt/config.h"
#include "simt/figures.h"
#include "simt/statistics.h"

namespace brokkr::simt {

struct TimedRun {
  std::string program;
  Config config;
  Statistics statistics;
};

nlohmann::ordered_json json_of(const TimedRun& run);
std::string table_of(const std::vector<TimedRun>& runs);
std::string csv_of(const std::vector<TimedRun>& runs);

nlohmann::ordered_json json_of(const FigureInfo& info, const FigureResult& result);
std::string table_of(const FigureInfo& info, const FigureResult& result);
std::string csv_of(const FigureInfo& info, const FigureResult& result);

// Draws active lanes over time, like [Steffen12, Fig. 2.3].

// Time runs to the right. Each column shows from the bottom: no warps (white), all warps wait (grey), then the classes
// of lanes from few (red) to all (green).
void write_timeline(const std::filesystem::path& path, const Statistics& s);

}  // namespace brokkr::simt
