// How the time of a frame grows: with triangles, pixels, workers, draws, views and overdraw.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/bench_measure.h"

namespace brokkr::app {

struct CurveRun {
  nlohmann::ordered_json environment;
  std::vector<BenchRow> rows;  // `x` and `series` set; workload.group is the curve's name
};

// The curves named (none: all), in the order of the table in bench_curves.cpp.
CurveRun run_curves(const std::vector<std::string>& names, const BenchOptions& options,
                    const std::vector<PeerSetup>& peers, const std::filesystem::path& program,
                    const std::filesystem::path& folder, Progress& progress);

}  // namespace brokkr::app
