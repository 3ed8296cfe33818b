#include "lab/result_table.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "log/csv.h"
#include "log/number_text.h"

namespace brokkr::lab {

std::string cell(double value) { return std::isfinite(value) ? significant(value, 6) : ""; }

void ResultTable::add(const Record& record) {
  Row& cells = rows.emplace_back(columns.size());
  for (const auto& [column, text] : record.cells()) {
    const auto at = std::find(columns.begin(), columns.end(), column);
    if (at == columns.end()) throw std::logic_error("table " + name + " has no column " + column);
    cells[size_t(at - columns.begin())] = text;
  }
}

Row split(const std::string& list) {
  Row parts(1);
  for (const char c : list) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// Readers split at commas: no cell has any, nor a quote.
std::string to_csv(const Row& columns, const Rows& rows) {
  std::string text = csv_row(columns);
  for (Row cells : rows) {
    for (std::string& cell : cells)
      std::replace_if(
          cell.begin(), cell.end(), [](char c) { return c == ',' || c == '"'; }, ' ');
    text += csv_row(cells);
  }
  return text;
}

Rows from_csv(const std::string& text) {
  Rows rows;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) rows.push_back(split(line));
  return rows;
}

}  // namespace brokkr::lab
