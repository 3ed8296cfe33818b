#include "simt/command/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/text.h"
#include "brokkr/image.h"
#include "log/text.h"
#include "simt/statistics.h"

namespace brokkr::simt {
namespace {

std::string policy_text(const Config& c) {
  std::string text = policy_names()[size_t(c.policy)];
  if (c.policy != PolicyKind::pdom && c.policy != PolicyKind::independent) text += fmt::format(" {}", c.ways);
  return text;
}

std::string value_text(double value) {
  return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

}  // namespace

nlohmann::ordered_json json_of(const TimedRun& run) {
  const Statistics& s = run.statistics;
  nlohmann::ordered_json json = {{"program", run.program},
                                 {"machine", run.config.name},
                                 {"policy", policy_names()[size_t(run.config.policy)]},
                                 {"ways", run.config.ways}};
  json.update(json_of(s, run.config.warp));
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
  std::vector<std::string> heading = {"program", "machine", "policy", "ways"};
  for (const NamedCount& c : kCounts) heading.emplace_back(c.name);
  heading.insert(heading.end(), std::begin(kClasses), std::end(kClasses));
  heading.emplace_back("instructions_per_cycle");
  std::string text = csv_row(heading);
  for (const TimedRun& r : runs) {
    std::vector<std::string> row = {r.program, r.config.name, policy_names()[size_t(r.config.policy)],
                                    fmt::format("{}", r.config.ways)};
    for (const NamedCount& c : kCounts) row.push_back(fmt::format("{}", r.statistics.*c.field));
    for (const uint64_t n : r.statistics.occupancy) row.push_back(fmt::format("{}", n));
    row.push_back(fmt::format("{}", r.statistics.ipc()));
    text += csv_row(row);
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
    for (const double value : r.values) row.push_back(value_text(value));
    row.resize(result.columns.size() + 1);
    row.push_back(r.thesis);
    rows.push_back(std::move(row));
  }
  std::string text = fmt::format("Figure {}: {}\n{}", info.name, info.title, app::format_table(heading, rows));
  for (const std::string& note : result.notes) text += note + "\n";
  return text;
}

std::string csv_of(const FigureInfo& info, const FigureResult& result) {
  std::vector<std::string> heading = {"figure", "label"};
  heading.insert(heading.end(), result.columns.begin(), result.columns.end());
  heading.emplace_back("thesis");
  std::string text = csv_row(heading);
  for (const FigureRow& r : result.rows) {
    std::vector<std::string> row = {info.name, r.label};
    for (size_t i = 0; i < result.columns.size(); ++i)
      row.push_back(i < r.values.size() ? fmt::format("{}", r.values[i]) : "");
    row.push_back(r.thesis);
    text += csv_row(row);
  }
  return text;
}

namespace {

constexpr int kWidth = 768, kHeight = 256, kMargin = 8;
constexpr uint32_t kPaper = 0xffffffff, kFrame = 0xff404040;

// 0xAABBGGRR: from red through yellow to green.
constexpr uint32_t kColors[kOccupancyClasses] = {0xff2f2fd6, 0xff2f62e8, 0xff3396f4, 0xff45c2fa, 0xff63e0ee,
                                                 0xff66d9b4, 0xff52c878, 0xff3fa03a, 0xffc0c0c0, 0xffffffff};
constexpr uint32_t kOrder[kOccupancyClasses] = {kIdle, kStalled, 0, 1, 2, 3, 4, 5, 6, 7};

}  // namespace

void write_timeline(const std::filesystem::path& path, const Statistics& s) {
  const int width = kWidth + 2 * kMargin, height = kHeight + 2 * kMargin;
  std::vector<uint32_t> pixels(size_t(width) * size_t(height), kPaper);
  const auto set = [&](int x, int y, uint32_t c) { pixels[size_t(y) * size_t(width) + size_t(x)] = c; };
  for (int x = 0; x < kWidth && !s.windows.empty(); ++x) {
    const Occupancy& w = s.windows[size_t(x) * s.windows.size() / kWidth];
    uint64_t all = 0, below = 0;
    for (const uint64_t n : w) all += n;
    int y = 0;
    for (const uint32_t c : kOrder) {
      below += w[c];
      const int top = all == 0 ? 0 : int(below * kHeight / all);
      for (; y < top; ++y) set(kMargin + x, kMargin + y, kColors[c]);
    }
  }
  for (int x = -1; x <= kWidth; ++x) {
    set(kMargin + x, kMargin - 1, kFrame);
    set(kMargin + x, kMargin + kHeight, kFrame);
  }
  for (int y = -1; y <= kHeight; ++y) {
    set(kMargin - 1, kMargin + y, kFrame);
    set(kMargin + kWidth, kMargin + y, kFrame);
  }
  write_png(path, width, height, pixels, true);
}

}  // namespace brokkr::simt
