// Results of an experiment as rows of text, which is what its CSV file holds.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace brokkr::lab {

using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

struct ResultTable {
  std::string name;  // the table's file is COMMAND-NAME.csv
  Row columns;
  Rows rows;  // each has a cell per column; an empty cell has no value
};

// A value that was not measured is an empty cell: an optional without a value, or a number that is not finite.
inline std::string cell(const std::string& text) { return text; }
inline std::string cell(const char* text) { return text; }
std::string cell(double value);  // six significant digits
template <class T>
requires std::is_integral_v<T> std::string cell(T value) { return std::to_string(value); }
template <class T>
std::string cell(const std::optional<T>& value) {
  return value ? cell(*value) : "";
}

template <class... Values>
Row row(const Values&... values) {
  return {cell(values)...};
}

// Lines of a CSV file; commas, quotes and line ends inside a cell become spaces.
std::string to_csv(const Row& columns, const Rows& rows);
// The cells of a text that to_csv wrote, without the line of names.
Rows from_csv(const std::string& text);

}  // namespace brokkr::lab
