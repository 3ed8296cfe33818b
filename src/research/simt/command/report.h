// Results of `brokkr simt` as tables, JSON and CSV.
#pragma once

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

}  // namespace brokkr::simt
