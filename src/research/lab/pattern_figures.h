// The figures and tables of `brokkr patterns`, as in [Kerbl17], from the rows of its experiments.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/chart.h"
#include "lab/experiment.h"

namespace brokkr::lab {

// The rows of one experiment, by the names of their columns.
class PatternRows {
 public:
  PatternRows(const Row& columns, Rows rows);

  size_t size() const { return rows_.size(); }
  const std::string& text(size_t row, const char* column) const { return rows_[row][columns_.at(column)]; }
  // NaN if nothing was measured.
  double number(size_t row, const char* column) const;
  // The distinct values of a column in order of appearance.
  std::vector<std::string> texts(const char* column) const;
  std::vector<double> numbers(const char* column) const;
  // The rows for which `is_wanted` returns true.
  template <class Wanted>
  PatternRows only(Wanted&& is_wanted) const {
    PatternRows some = *this;
    some.rows_.clear();
    for (size_t i = 0; i < size(); ++i) {
      if (is_wanted(i)) some.rows_.push_back(rows_[i]);
    }
    return some;
  }

 private:
  std::map<std::string, size_t> columns_;
  Rows rows_;
};

struct TextTable {
  std::string title;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

struct PatternFigure {
  std::optional<app::Figure> figure;  // empty: only tables
  std::vector<TextTable> tables;
};

struct PatternDrawing {
  const char* name;        // name of the picture
  const char* experiment;  // the one whose rows it draws
  PatternFigure (*draw)(const PatternRows& rows);
};
// In the order of the report. Rows that lack a pattern or a frame give charts without curves.
std::vector<PatternDrawing> pattern_drawings();

// The figures share these.
std::string color_of_pattern(const std::string& pattern);
std::string name_of_pattern(const std::string& pattern);
std::string color_between(double part);                     // 0 .. 1, from dark blue to yellow
double arithmetic_mean(const std::vector<double>& values);  // all three means: NaN without values
double geometric_mean(const std::vector<double>& values);   // ignores values of zero and below
double harmonic_mean(const std::vector<double>& values);

// Figures of the maps of fragments: load and patterns, searched ones among them.
PatternFigure figure_of_spacing(const PatternRows& rows);
PatternFigure figure_of_orientation(const PatternRows& rows);
PatternFigure figure_of_families(const PatternRows& rows);
PatternFigure figure_of_variation(const PatternRows& rows);
PatternFigure figure_of_partition(const PatternRows& rows);
PatternFigure figure_of_search(const PatternRows& rows);
// Figures of what the pipeline did under a pattern: times, blocks, sizes of bins.
PatternFigure figure_of_pipeline(const PatternRows& rows);
PatternFigure figure_of_prediction(const PatternRows& rows);
PatternFigure figure_of_blocks(const PatternRows& rows);
PatternFigure figure_of_cost(const PatternRows& rows);
PatternFigure figure_of_recommend(const PatternRows& rows);

}  // namespace brokkr::lab
