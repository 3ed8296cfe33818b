#include <fmt/format.h>

#include <algorithm>

#include "app/text.h"
#include "app/tool.h"
#include "cli/bench_ab.h"
#include "cli/bench_report.h"
#include "log/csv.h"
#include "log/manifest.h"

namespace brokkr::app {
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
  std::string csv = "name,shading,group,pairs,a_ms,a_least_ms,b_ms,b_least_ms,ratio,low,high,verdict,warnings,error\n";
  for (const AbRow& row : rows) {
    csv += fmt::format("{},{},{},", csv_cell(row.workload.name), shading_name(row.workload.shading),
                       csv_cell(row.workload.group));
    if (!row.error.empty()) {
      csv += std::string(10, ',') + csv_cell(row.error) + "\n";
      continue;
    }
    const RatioEstimate r = ratio_of(row);
    const auto& [a, b] = row.race.ms;
    csv += fmt::format("{},{},{},{},{},{},", row.order.size(), median(a), least(a), median(b), least(b), r.ratio);
    csv += verdict(r) == Verdict::too_few ? "," : fmt::format("{},{}", r.low, r.high);
    csv += fmt::format(",{},{},\n", verdict_text(verdict(r)), race_warnings(row.race, row.load).size());
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
