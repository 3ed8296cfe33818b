// The output of `brokkr bench`: JSON with everything, CSV and a table with the times.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/bench_measure.h"

namespace brokkr::app {

inline constexpr int kBenchFormat = 1;  // of the JSON

// Processor, cores, memory, date, commit of the program, load, niceness, peers' versions, command line: where and how a
// benchmark ran, for whoever reads its numbers later.
nlohmann::ordered_json bench_environment(const Bench& bench);
// The part of it that every measurement has.
nlohmann::ordered_json computer_environment();

// Writes a file, or prints where `path` is "-". Throws std::runtime_error.

nlohmann::ordered_json row_json(const BenchRow& row);
// By group ("generated flat", "generated", "captures", …, "all") the number of rows, and the geometric means of their
// ratios by peer's name, and "best" for the best peer of each row. Rows that failed or were cut off are left out.
nlohmann::ordered_json geomeans_json(const std::vector<BenchRow>& rows);
std::string rows_csv(const std::vector<BenchRow>& rows);
// Rows with geometric means; rows of curves with the cost of each triangle, pixel, … instead.
std::string rows_table(const std::vector<BenchRow>& rows);

}  // namespace brokkr::app
