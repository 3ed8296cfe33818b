#include "lab/experiment.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "log/text.h"

namespace brokkr::lab {
namespace {

constexpr char kEndedAfter[] = "ended after ";

}  // namespace

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

// Some readers split at every comma, so cells contain neither commas nor quotes.
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

ResultTable run_experiment(std::span<const Experiment> experiments, const std::string& name, LabMachine& machine,
                           const LabOptions& options, const ShowProgress& progress) {
  if (options.runs < 1 || options.iterations < 1 || options.iterations > kMaxRankIterations ||
      options.decisions < 100 || options.max_tasks < 100) {
    throw std::invalid_argument("experiment: needs a run, 1 .. 15 iterations, 100 decisions and 100 tasks at least");
  }
  if (options.workers == 1) {
    throw std::invalid_argument("experiment: a single worker would only sort; give 2 or more");
  }
  const auto found = std::find_if(experiments.begin(), experiments.end(),
                                  [&](const Experiment& experiment) { return name == experiment.name; });
  if (found == experiments.end()) throw std::invalid_argument("experiment: there is no '" + name + "'");
  ResultTable table{name, split(found->columns), {}};
  found->run({machine, options, table, progress});
  return table;
}

void set_where(const LabRun& run, Record& m) {
  m.set("experiment", run.table.name).set("machine", run.machine.name).set("detail", run.machine.detail);
  m.set("lanes", run.machine.width());
}

Times set_times(const LabRun& run, Record& m, const std::vector<double>& ms) {
  const auto [least, most] = std::minmax_element(ms.begin(), ms.end());
  const double mean = std::accumulate(ms.begin(), ms.end(), 0.0) / double(ms.size());
  m.set("mean_ms", mean).set("min_ms", *least).set("max_ms", *most);
  if (*least < 0) m.set("error", kEndedAfter + significant(run.options.seconds, 4) + " s");
  return {mean, *least, uint32_t(ms.size())};
}

bool is_time_limit(const std::string& error) { return error.starts_with(kEndedAfter); }

Times repeat(const LabRun& run, Record& m, uint32_t runs, const std::function<double(uint32_t)>& once) {
  std::vector<double> ms;
  for (uint32_t i = 0; i < runs && !m.failed() && (ms.empty() || ms.back() >= 0); ++i) ms.push_back(once(i));
  return set_times(run, m, ms);
}

}  // namespace brokkr::lab
