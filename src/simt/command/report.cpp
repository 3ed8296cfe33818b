#include "simt/command/report.h"

#include <fmt/format.h>

#include "app/text.h"

namespace brokkr::simt {
namespace {

struct NamedCount {
  const char* name;
  uint64_t Statistics::*field;
};
constexpr NamedCount kCounts[] = {
    {"cycles", &Statistics::cycles},
    {"issues", &Statistics::steps},
    {"warp_instructions", &Statistics::instructions},
    {"thread_instructions", &Statistics::lanes},
    {"done", &Statistics::done},
    {"launched", &Statistics::launched},
    {"spawned", &Statistics::spawned},
    {"spawned_warps", &Statistics::spawned_warps},
    {"flushed_warps", &Statistics::flushed_warps},
    {"diverge_stack", &Statistics::diverge_pdom},
    {"diverge_spawn", &Statistics::diverge_spawn},
    {"bank_conflict_cycles", &Statistics::conflicts},
    {"atomic_wait_cycles", &Statistics::atomics_waited},
    {"l1_hits", &Statistics::l1_hits},
    {"l1_misses", &Statistics::l1_misses},
    {"l2_hits", &Statistics::l2_hits},
    {"l2_misses", &Statistics::l2_misses},
    {"requested_read_bytes", &Statistics::requested_read},
    {"requested_written_bytes", &Statistics::requested_written},
};
constexpr const char* kClasses[kOccupancyClasses] = {"lanes_1_4",   "lanes_5_8",   "lanes_9_12",  "lanes_13_16",
                                                     "lanes_17_20", "lanes_21_24", "lanes_25_28", "lanes_29_32",
                                                     "stalled",     "idle"};

nlohmann::ordered_json json_of(const Occupancy& o) {
  nlohmann::ordered_json json;
  for (uint32_t c = 0; c < kOccupancyClasses; ++c) json[kClasses[c]] = o[c];
  return json;
}

std::string policy_text(const Config& c) {
  std::string text = policy_names()[size_t(c.policy)];
  if (c.policy != PolicyKind::pdom && c.policy != PolicyKind::independent) text += fmt::format(" {}", c.ways);
  return text;
}

// A text as a field of CSV.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string value_text(double v) { return v >= 1000 ? fmt::format("{:.0f}", v) : fmt::format("{:.2f}", v); }

}  // namespace

nlohmann::ordered_json json_of(const TimedRun& run) {
  const Statistics& s = run.statistics;
  nlohmann::ordered_json json = {{"program", run.program},
                                 {"machine", run.config.name},
                                 {"policy", policy_names()[size_t(run.config.policy)]},
                                 {"ways", run.config.ways}};
  for (const NamedCount& c : kCounts) json[c.name] = s.*c.field;
  json["instructions_per_cycle"] = s.ipc();
  json["lanes_used"] = s.efficiency(run.config.warp);
  json["off_chip_read_bytes"] = s.off_chip.read;
  json["off_chip_written_bytes"] = s.off_chip.written;
  json["spawn_read_bytes"] = s.spawn.read;
  json["spawn_written_bytes"] = s.spawn.written;
  json["occupancy"] = json_of(s.occupancy);
  json["window_cycles"] = s.window_cycles;
  for (const Occupancy& w : s.windows) json["windows"].push_back(json_of(w));
  return json;
}

std::string table_of(const std::vector<TimedRun>& runs) {
  std::vector<std::vector<std::string>> rows;
  for (const TimedRun& r : runs) {
    const Statistics& s = r.statistics;
    rows.push_back({r.program, policy_text(r.config), app::grouped(s.cycles), app::grouped(s.instructions),
                    fmt::format("{:.1f}", s.ipc()), fmt::format("{:.1f}", 100 * s.efficiency(r.config.warp)),
                    app::grouped(s.spawned), app::grouped((s.off_chip.read + s.off_chip.written) / 1024)});
  }
  return app::format_table({"program", "policy", "cycles", "warp instr.", "instr./cycle", "lanes %", "spawned", "KiB"},
                           rows);
}

std::string csv_of(const std::vector<TimedRun>& runs) {
  std::string text = "program,machine,policy,ways";
  for (const NamedCount& c : kCounts) text += fmt::format(",{}", c.name);
  for (const char* c : kClasses) text += fmt::format(",{}", c);
  text += ",instructions_per_cycle\n";
  for (const TimedRun& r : runs) {
    text += fmt::format("{},{},{},{}", r.program, quoted(r.config.name), policy_names()[size_t(r.config.policy)],
                        r.config.ways);
    for (const NamedCount& c : kCounts) text += fmt::format(",{}", r.statistics.*c.field);
    for (const uint64_t n : r.statistics.occupancy) text += fmt::format(",{}", n);
    text += fmt::format(",{}\n", r.statistics.ipc());
  }
  return text;
}

nlohmann::ordered_json json_of(const FigureInfo& info, const FigureResult& result) {
  nlohmann::ordered_json json = {{"figure", info.name}, {"title", info.title}, {"columns", result.columns}};
  for (const FigureRow& r : result.rows)
    json["rows"].push_back({{"label", r.label}, {"values", r.values}, {"thesis", r.thesis}});
  json["notes"] = result.notes;
  return json;
}

std::string table_of(const FigureInfo& info, const FigureResult& result) {
  std::vector<std::string> heading = {""};
  heading.insert(heading.end(), result.columns.begin(), result.columns.end());
  heading.emplace_back("thesis");
  std::vector<std::vector<std::string>> rows;
  for (const FigureRow& r : result.rows) {
    std::vector<std::string> row = {r.label};
    for (const double v : r.values) row.push_back(value_text(v));
    row.resize(result.columns.size() + 1);
    row.push_back(r.thesis);
    rows.push_back(std::move(row));
  }
  std::string text = fmt::format("Figure {}: {}\n{}", info.name, info.title, app::format_table(heading, rows));
  for (const std::string& note : result.notes) text += note + "\n";
  return text;
}

std::string csv_of(const FigureInfo& info, const FigureResult& result) {
  std::string text = "figure,label";
  for (const std::string& c : result.columns) text += "," + quoted(c);
  text += ",thesis\n";
  for (const FigureRow& r : result.rows) {
    text += fmt::format("{},{}", info.name, quoted(r.label));
    for (size_t i = 0; i < result.columns.size(); ++i)
      text += i < r.values.size() ? fmt::format(",{}", r.values[i]) : ",";
    text += "," + quoted(r.thesis) + "\n";
  }
  return text;
}

}  // namespace brokkr::simt
