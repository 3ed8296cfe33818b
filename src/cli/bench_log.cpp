#include "cli/bench_log.h"

#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "log/ab.h"
#include "log/frame_statistics.h"
#include "log/log_reader.h"
#include "log/machine_facts.h"
#include "log/manifest.h"
#include "scene/file_io.h"

namespace brokkr::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMostManifestBytes = uint64_t(1) << 24;

// The file's JSON; nlohmann's discarded value where the file is not JSON.
Json read_json(const std::string& path) {
  const std::vector<std::byte> bytes = read_file(path, kMostManifestBytes);
  return Json::parse(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), nullptr, false);
}

struct LogPair {
  Json manifest;
  FrameLog log;
};

LogPair read_log(const std::string& path) try {
  LogPair pair{read_json(path), {}};
  if (!pair.manifest.is_object() || pair.manifest.value("kind", "") != kLogKind)
    throw std::runtime_error(path + ": no manifest of `brokkr bench --log` or of the viewer; name two of them");
  const std::filesystem::path csv =
      std::filesystem::path(path).parent_path() / std::filesystem::path(pair.manifest.at("log").get<std::string>());
  pair.log = read_frame_log(csv);
  return pair;
} catch (const nlohmann::json::exception& error) {
  throw std::runtime_error(path + ": a field is missing or of another kind (" + error.what() +
                           "); record the log again");
}

}  // namespace

BenchLog frame_log(const Workload& workload, const BenchOptions& options, LogFormat format, const std::string& path,
                   Progress& progress) {
  using Clock = std::chrono::steady_clock;
  const auto ms = [](Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
  progress.show("loading " + workload.name);
  const Frame frame = load_workload(workload.file, workload.load);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions render = options.render;
  render.shading = workload.brokkr_shading();
  LogSession session;
  session.log = path;
  session.format = format;
  session.camera = workload.load.camera;
  session.begun = utc_now();
  const MachineFacts facts = machine_facts();
  session.source.gpu = facts.gpu;
  session.source.driver = facts.driver;
  Json scene = scene_json(workload.file, frame);

  BenchLog log;
  std::ostringstream csv;
  FrameLogWriter writer(csv, format, session.source);
  Statistics last;
  const Clock::time_point start = Clock::now();
  Clock::time_point before = start;
  for (int i = 0; i < options.frames; ++i) {
    if (i % 64 == 0) progress.show("frame " + std::to_string(i) + " of " + std::to_string(options.frames));
    const Clock::time_point begin = Clock::now();
    RenderResult result = renderer.render(prepared, render, false);
    const Clock::time_point present = Clock::now();
    FrameRecord record;
    record.time_s = ms(present - start) / 1000;
    record.between_presents_ms = record.between_display_change_ms = ms(present - before);
    record.until_render_start_ms = -(result.statistics.frame_ms + result.statistics.read_back_ms);
    record.frame_id = static_cast<uint64_t>(i);
    record.policy = name_of(render.policy);
    fill_record(result.statistics, ms(present - begin), record);
    writer.add(record);
    log.frame_ms.push_back(record.between_presents_ms);
    session.cut_off += result.aborted ? 1 : 0;
    last = std::move(result.statistics);
    before = present;
  }
  log.csv = csv.str();
  log.manifest = manifest_json(session, std::move(scene), render, last, log.frame_ms);
  return log;
}

std::string log_table(const std::string& name, const std::vector<double>& frame_ms) {
  const FrameStatistics s = frame_statistics(frame_ms);
  return format_table({"frame", "frames", "median ms", "p95 ms", "p99 ms", "p99.9 ms", "1 % low fps"},
                      {{printable(name), std::to_string(s.frames), fixed(s.median_ms, 3), fixed(s.p95_ms, 3),
                        fixed(s.p99_ms, 3), fixed(s.p999_ms, 3), fixed(s.one_percent_low_fps, 2)}}) +
         "1 % low = " + kOnePercentLowFormula + "\n";
}

bool is_log_manifest(const std::string& path) {
  const Json json = read_json(path);
  return json.is_object() && json.contains("kind") && json["kind"] == kLogKind;
}

Json log_difference(const std::string& before, const std::string& after) {
  const LogPair a = read_log(before), b = read_log(after);
  const RatioEstimate ratio = ratio_of_medians(a.log.frame_ms, b.log.frame_ms);
  Json json = {{"kind", "brokkr frame log comparison"}};
  json["before"] = {{"file", before}, {"statistics", statistics_json(frame_statistics(a.log.frame_ms))}};
  json["after"] = {{"file", after}, {"statistics", statistics_json(frame_statistics(b.log.frame_ms))}};
  for (auto [name, pair] : {std::pair<const char*, const LogPair*>{"before", &a}, {"after", &b}}) {
    for (const char* part : {"scene", "settings", "machine", "commit"}) {
      if (pair->manifest.contains(part)) json[name][part] = pair->manifest[part];
    }
  }
  json["ratio_of_medians"] = {
      {"ratio", ratio.ratio}, {"low", ratio.low}, {"high", nullptr}, {"confidence", ratio.confidence}};
  if (std::isfinite(ratio.high)) json["ratio_of_medians"]["high"] = ratio.high;
  // The scene's hash: a ratio between logs of different scenes says nothing.
  const auto hash = [](const LogPair& pair) {
    const Json none;
    const Json& scene = pair.manifest.contains("scene") ? pair.manifest["scene"] : none;
    return scene.is_object() && scene.contains("geometry_sha256") ? scene["geometry_sha256"] : none;
  };
  json["same_scene"] = hash(a) == hash(b);
  return json;
}

std::string log_difference_table(const Json& d) {
  const Json &a = d["before"]["statistics"], &b = d["after"]["statistics"];
  std::vector<std::vector<std::string>> rows;
  constexpr std::array<std::pair<const char*, const char*>, 6> kRows = {{{"median ms", "median_ms"},
                                                                         {"p95 ms", "p95_ms"},
                                                                         {"p99 ms", "p99_ms"},
                                                                         {"p99.9 ms", "p99.9_ms"},
                                                                         {"mean ms", "mean_ms"},
                                                                         {"1 % low fps", "one_percent_low_fps"}}};
  for (const auto& [name, key] : kRows) {
    const double first = a[key], second = b[key];
    rows.push_back({name, fixed(first, 3), fixed(second, 3), second != 0 ? fixed(first / second, 3) : "-"});
  }
  const Json& ratio = d["ratio_of_medians"];
  std::string text = format_table({"", "before", "after", "before / after"}, rows);
  text += "median: after is " + fixed(ratio["ratio"], 3) + " times as fast, ";
  text += ratio["high"].is_null() ? "too few frames for an interval"
                                  : fixed(ratio["low"], 3) + " to " + fixed(ratio["high"], 3) + " with " +
                                        fixed(100 * ratio["confidence"].get<double>(), 0) + " % confidence";
  text += "\n";
  if (!d["same_scene"].get<bool>()) text += "The scenes differ: the ratio says nothing about a change.\n";
  return text;
}

}  // namespace brokkr::app
