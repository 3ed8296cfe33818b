#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/parse.h"
#include "app/text.h"
#include "app/tool.h"
#include "cli/bench_ab.h"
#include "cli/bench_report.h"
#include "log/manifest.h"
#include "log/text.h"

namespace brokkr::app {
namespace {

// As a shell parts them: blanks between words, quotes around blanks.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  char quote = 0;
  bool inside = false;
  for (const char c : text) {
    if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? char(0) : c;
      if (!inside) words.emplace_back();
      inside = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      inside = false;
    } else {
      if (!inside) words.emplace_back();
      inside = true;
      words.back() += c;
    }
  }
  if (quote != 0) throw UsageError("--ab: a quote is not closed in '" + text + "'");
  return words;
}

}  // namespace

Arguments with_options(const Arguments& arguments, const std::string& text, const std::vector<Option>& known) {
  std::map<std::string, std::vector<std::string>> values;
  for (const Option& option : known) {
    if (arguments.has(key_of(option))) values[key_of(option)] = arguments.all(key_of(option));
  }
  for (const char* name : {"FILE", "suite", "captures", "shading"}) {
    if (arguments.has(name)) values[name] = arguments.all(name);
  }
  const std::vector<std::string> words = words_of(text);
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    const auto option = std::find_if(known.begin(), known.end(),
                                     [&](const Option& candidate) { return "--" + key_of(candidate) == name; });
    if (option == known.end())
      throw UsageError("--ab: '" + name +
                       "' is no option of input or pipeline; B is the same command with some on top");
    if (equals == std::string::npos && i + 1 == words.size()) throw UsageError("--ab: " + name + " has no value");
    const std::string value = equals == std::string::npos ? words[++i] : words[i].substr(equals + 1);
    const std::string problem = problem_with(*option, value);
    if (!problem.empty()) throw UsageError("--ab: " + name + ": " + problem);
    values[key_of(*option)] = {value};
  }
  return Arguments(std::move(values));
}

std::vector<std::string> option_words(const Arguments& arguments, const std::vector<Option>& known) {
  std::vector<std::string> words;
  for (const Option& option : known) {
    for (const std::string& value : arguments.all(key_of(option)))
      words.insert(words.end(), {"--" + key_of(option), value});
  }
  return words;
}

namespace {

using Json = nlohmann::ordered_json;

double least(const std::vector<double>& ms) { return ms.empty() ? 0 : *std::min_element(ms.begin(), ms.end()); }

RatioEstimate ratio_of(const AbRow& row) { return race_ratio(row.race); }

}  // namespace

Json ab_json(const AbRow& row) {
  Json json = {
      {"name", row.workload.name}, {"shading", shading_name(row.workload.shading)}, {"group", row.workload.group}};
  if (!row.error.empty()) {
    json["error"] = row.error;
    return json;
  }
  if (row.width > 0)
    json.update(
        Json{{"width", row.width}, {"height", row.height}, {"layers", row.layers}, {"triangles", row.triangles}});
  json["pairs"] = row.order.size();
  json["turn_pairs"] = row.race.turn;
  json["order"] = row.order;
  for (size_t i = 0; i < 2; ++i) {
    const std::vector<double>& ms = row.race.ms[i];
    Json variant = {{"median_ms", median(ms)},
                    {"least_ms", least(ms)},
                    {"outliers", outliers(ms)},
                    {"interrupted", interrupted(ms, row.race.processor_ms[i])},
                    {"ms", ms}};
    if (!row.race.processor_ms[i].empty()) variant["processor_ms"] = row.race.processor_ms[i];
    if (!row.turns[i].empty()) variant["turns_ms"] = row.turns[i];
    if (const Statistics& s = row.last[i]; !s.machine.empty()) variant["used"] = settings_json({}, s)["used"];
    json[i == 0 ? "a" : "b"] = std::move(variant);
  }
  const RatioEstimate r = ratio_of(row);
  json["ratio"] = {{"ratio", r.ratio}, {"low", nullptr}, {"high", nullptr}, {"confidence", r.confidence}};
  if (verdict(r) != Verdict::too_few) json["ratio"].update(Json{{"low", r.low}, {"high", r.high}});
  json["verdict"] = verdict_text(verdict(r));
  json["same_picture"] = row.same_picture ? Json(*row.same_picture) : Json();
  json["load"] = load_json(row.load);
  json["warnings"] = race_warnings(row.race, row.load);
  return json;
}

std::string ab_csv(const std::vector<AbRow>& rows) {
  const std::vector<std::string> heading = {"name",       "shading", "group",      "pairs", "a_ms",
                                            "a_least_ms", "b_ms",    "b_least_ms", "ratio", "low",
                                            "high",       "verdict", "warnings",   "error"};
  std::string csv = csv_row(heading);
  for (const AbRow& row : rows) {
    std::vector<std::string> cells = {row.workload.name, shading_name(row.workload.shading), row.workload.group};
    if (row.error.empty()) {
      const RatioEstimate r = ratio_of(row);
      const auto& [a, b] = row.race.ms;
      cells.push_back(std::to_string(row.order.size()));
      for (const double value : {median(a), least(a), median(b), least(b), r.ratio})
        cells.push_back(fmt::format("{}", value));
      const bool has_interval = verdict(r) != Verdict::too_few;
      for (const double bound : {r.low, r.high}) cells.push_back(has_interval ? fmt::format("{}", bound) : "");
      cells.insert(cells.end(), {verdict_text(verdict(r)), std::to_string(race_warnings(row.race, row.load).size())});
    }
    cells.resize(heading.size());
    cells.back() = row.error;
    csv += csv_row(cells);
  }
  return csv;
}

std::string ab_table(const std::vector<AbRow>& rows) {
  std::vector<std::vector<std::string>> lines;
  std::string said;
  for (const AbRow& row : rows) {
    const std::string name = printable(row.workload.name);
    std::vector<std::string> line = {name, shading_name(row.workload.shading)};
    if (!row.error.empty()) {
      line.insert(line.end(), {"failed", "", "", ""});
      lines.push_back(line);
      continue;
    }
    for (const std::vector<double>& ms : row.race.ms)
      line.push_back(fmt::format("{:.3f} ({:.3f})", median(ms), least(ms)));
    line.insert(line.end(), {std::to_string(outliers(row.race.ms[0])) + ", " + std::to_string(outliers(row.race.ms[1])),
                             std::to_string(row.order.size())});
    lines.push_back(line);
    const RatioEstimate r = ratio_of(row);
    const std::string before = rows.size() > 1 ? name + ": " : "";
    said += before + ratio_text(r) + ": " + verdict_text(verdict(r)) + "\n";
    if (row.same_picture == false) said += before + "A and B draw different pictures\n";
    for (const std::string& warning : race_warnings(row.race, row.load)) said += before + "warning: " + warning + "\n";
  }
  return format_table({"frame", "shading", "A ms (least)", "B ms (least)", "outliers", "pairs"}, lines) + said;
}

}  // namespace brokkr::app
