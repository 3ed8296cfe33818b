#include "lab/result_table.h"

#include <algorithm>
#include <cmath>

#include "log/number_text.h"

namespace brokkr::lab {

std::string cell(double value) { return std::isfinite(value) ? significant(value, 6) : ""; }

std::string to_csv(const Row& columns, const Rows& rows) {
  std::string text;
  const auto line = [&](const Row& cells) {
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string safe = cells[i];
      std::replace_if(
          safe.begin(), safe.end(), [](char c) { return c == ',' || c == '"' || c == '\n' || c == '\r'; }, ' ');
      text += (i == 0 ? "" : ",") + safe;
    }
    text += '\n';
  };
  line(columns);
  for (const Row& cells : rows) line(cells);
  return text;
}

Rows from_csv(const std::string& text) {
  Rows rows;
  size_t begin = text.find('\n');
  while (begin != std::string::npos && begin + 1 < text.size()) {
    const size_t end = std::min(text.find('\n', begin + 1), text.size());
    Row cells(1);
    for (size_t i = begin + 1; i < end; ++i) {
      if (text[i] == ',')
        cells.emplace_back();
      else
        cells.back() += text[i];
    }
    rows.push_back(std::move(cells));
    begin = end;
  }
  return rows;
}

}  // namespace brokkr::lab
