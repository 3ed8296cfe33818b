// Numbers, comma-separated values and JSON, formatted the way Brokkr writes them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace brokkr {

// Values that are not finite become "inf", "-inf" or "nan".
std::string fixed(double value, int decimals);  // "12.34"
// At most `digits` significant digits: "12.3", "0.04" and "1e-06".
std::string significant(double value, int digits);
std::string shortest(float value);  // that reads back to the same number

// A row is a line: line breaks within a cell become spaces, and cells with a comma or a quote are quoted.
std::string csv_cell(const std::string& text);

// The cells with the end of their line.
std::string csv_row(std::span<const std::string> cells);

// Objects with the same keys, under a row of these. A list is one cell, its elements separated by spaces. `decimals`:
// of numbers that are not whole; negative: as many as they need.
std::string csv_table(const std::vector<nlohmann::ordered_json>& rows, int decimals = -1);

// Indented, with a final newline. JSON must be UTF-8, but file names need not be: invalid bytes are replaced.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace brokkr
