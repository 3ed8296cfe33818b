// One line per frame: `brokkr bench FILE --log FILE.csv`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/workload.h"
#include "cli/bench_measure.h"
#include "log/frame_log.h"

namespace brokkr::app {

struct BenchLog {
  std::string csv;
  nlohmann::ordered_json manifest;
  std::vector<double> frame_ms;
};

// Draws `options.frames` frames and logs each as log/frame_log.h has it; "present" is the end of the call that renders,
// pictures are not read back. There is no warm-up: the first frames of the log show it. `path` names the CSV in the
// manifest.
BenchLog frame_log(const Workload& workload, const BenchOptions& options, LogFormat format, const std::string& path,
                   Progress& progress);

// Median, p95, p99, p99.9 and 1 % low as a table, and the formula of the last.
std::string log_table(const std::string& name, const std::vector<double>& frame_ms);

}  // namespace brokkr::app
