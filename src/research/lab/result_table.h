// Results of an experiment as rows of text, the content of its CSV file.
#pragma once

#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace brokkr::lab {

using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

// A value that was not measured is an empty cell: an empty optional, or a number that is not finite.
inline std::string cell(const std::string& text) { return text; }
inline std::string cell(const char* text) { return text; }
std::string cell(double value);  // six significant digits
template <class T>
requires std::is_integral_v<T> std::string cell(T value) { return std::to_string(value); }

inline void append(Rows& rows, Rows more) {
  rows.insert(rows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

template <class... Values>
Row row(const Values&... values) {
  return {cell(values)...};
}

// A row that is filled by column name.
class Record {
 public:
  template <class T>
  Record& set(const std::string& column, const T& value) {
    cells_[column] = cell(value);
    return *this;
  }
  const std::map<std::string, std::string>& cells() const { return cells_; }
  bool failed() const { return cells_.contains("error"); }

 private:
  std::map<std::string, std::string> cells_;
};

struct ResultTable {
  std::string name;  // the file is named COMMAND-NAME.csv
  Row columns;
  Rows rows;  // one cell per column; an empty cell has no value

  // Columns that the record does not set stay empty. Throws std::logic_error if it sets unknown ones.
  void add(const Record& record);
};

// Splits "a,b,c" into its parts.
Row split(const std::string& list);

// Lines of a CSV file; commas, quotes and line ends inside a cell become spaces.
std::string to_csv(const Row& columns, const Rows& rows);
// The cells of a text written by to_csv, without the line of column names.
Rows from_csv(const std::string& text);

}  // namespace brokkr::lab
