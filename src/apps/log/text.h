// Numbers, comma-separated values and JSON, formatted the way Brokkr writes them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace brokkr {

// Returns "inf", "-inf" or "nan" for values that are not finite.
std::string fixed(double value, int decimals);  // "12.34"
// At most `digits` significant digits: "12.3", "0.04" and "1e-06".
std::string significant(double value, int digits);
std::string shortest(float value);  // shortest text that reads back as the same number

// A row is a line: line breaks within a cell become spaces, and cells with a comma or a quote are quoted.
std::string csv_cell(const std::string& text);

// Joins cells and ends the line.
std::string csv_row(std::span<const std::string> cells);

// A table of objects with the same keys, which form the heading. A list becomes one cell; spaces separate its elements.
// `decimals`: number of decimals of fractional numbers; negative: as many as needed.
std::string csv_table(const std::vector<nlohmann::ordered_json>& rows, int decimals = -1);

// Indented, with a final newline. JSON must be UTF-8, but file names need not be: invalid bytes are replaced.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace brokkr
