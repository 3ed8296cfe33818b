// Comma-separated values. A row is a line: line breaks within a cell become spaces, and cells with a comma or a quote
// are quoted.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace brokkr {

std::string csv_cell(const std::string& text);

// The cells with the end of their line.
std::string csv_row(std::span<const std::string> cells);

// Objects with the same keys, under a row of these. A list is one cell, its elements separated by spaces. `decimals`:
// of numbers that are not whole; negative: as many as they need.
std::string csv_table(const std::vector<nlohmann::ordered_json>& rows, int decimals = -1);

}  // namespace brokkr
