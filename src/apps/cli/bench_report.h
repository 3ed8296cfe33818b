// The output of `brokkr bench`: JSON with everything, CSV and a table with the times.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/bench_measure.h"

namespace brokkr::app {

inline constexpr int kBenchFormat = 1;  // of the JSON

// Records where and how a benchmark ran, for later readers: processor, cores, memory, date, commit of the program,
// load, niceness, versions of the peers, command line.
nlohmann::ordered_json bench_environment(const Bench& bench);
// The part of bench_environment that every measurement has.
nlohmann::ordered_json computer_environment();

// Writes a file, or prints if `path` is "-". Throws std::runtime_error.

nlohmann::ordered_json row_json(const BenchRow& row);
// For each group ("generated flat", "generated", "captures", …, "all"): the number of rows and, under each peer's name,
// the geometric mean of the ratios; "best" is for the best peer of each row. Rows that failed or were cut off are
// omitted.
nlohmann::ordered_json geomeans_json(const std::vector<BenchRow>& rows);
std::string rows_csv(const std::vector<BenchRow>& rows);
// Rows with geometric means; for curves, the cost of each triangle, pixel and so on instead.
std::string rows_table(const std::vector<BenchRow>& rows);

}  // namespace brokkr::app
