#include "cli/bench_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "app/text.h"
#include "cli/bench_report.h"
#include "log/frame_statistics.h"
#include "log/log_reader.h"
#include "log/manifest.h"
#include "scene/file_io.h"
#include "scene/json_parse.h"

namespace brokkr::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMostBytes = uint64_t(1) << 28;

// The file's JSON; null where the file is not JSON.
Json read_json(const std::string& path) { return parse_json_or_null(as_text(read_file(path, kMostBytes))); }

Json read_result(const std::string& path) {
  Json json = read_json(path);
  if (!json.is_object() || json.value("kind", "") != "brokkr bench" || !json.contains("results"))
    throw std::runtime_error(path + ": no result of `brokkr bench --json`; name two of them");
  if (json.value("format", 0) != kBenchFormat)
    throw std::runtime_error(path + ": field 'format': written by another version; run the benchmark again");
  return json;
}

std::string key(const Json& row) {
  const auto text = [&](const char* field) { return row.value(field, ""); };
  return fmt::format("{} {} {} {} {}", row.at("name").get<std::string>(), row.at("shading").get<std::string>(),
                     text("curve"), text("series"), row.value("x", 0.0));
}

std::vector<double> rounds(const Json& row) { return row.at("brokkr").at("rounds_ms").get<std::vector<double>>(); }

Json difference_of(const Json& before, const Json& after) {
  const double a = before.at("brokkr").at("median_ms"), b = after.at("brokkr").at("median_ms");
  const std::vector<double> all_a = rounds(before), all_b = rounds(after);
  const auto [low_a, high_a] = std::minmax_element(all_a.begin(), all_a.end());
  const auto [low_b, high_b] = std::minmax_element(all_b.begin(), all_b.end());
  Json row = {{"name", before.at("name")},
              {"shading", before.at("shading")},
              {"group", before.at("group")},
              {"before_ms", a},
              {"after_ms", b},
              {"ratio", a / b},
              {"low", *low_a / *high_b},
              {"high", *high_a / *low_b},
              {"least", before["brokkr"].at("least_ms").get<double>() / after["brokkr"].at("least_ms").get<double>()}};
  for (const char* name : {"curve", "series", "x"}) {
    if (before.contains(name)) row[name] = before[name];
  }
  // The same peer on the same frame should take the same time.
  const Json mine = before.value("peers", Json::object()), theirs = after.value("peers", Json::object());
  for (const auto& [name, peer] : mine.items()) {
    if (!theirs.contains(name)) continue;
    row["machine"] = peer.at("median_ms").get<double>() / theirs[name].at("median_ms").get<double>();
    break;
  }
  return row;
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

Json bench_difference(const std::string& before, const std::string& after) try {
  const Json first = read_result(before), second = read_result(after);
  std::map<std::string, const Json*> known;
  for (const Json& row : first["results"]) {
    if (!row.contains("error")) known.emplace(key(row), &row);
  }
  Json result = {{"kind", "brokkr bench comparison"},
                 {"before", first.at("environment")},
                 {"after", second.at("environment")},
                 {"results", Json::array()}};
  std::map<std::string, std::pair<size_t, double>> means;  // rows, and the sum of their ratios' logarithms
  for (const Json& row : second["results"]) {
    const auto found = known.find(key(row));
    if (row.contains("error") || found == known.end()) continue;
    Json line = difference_of(*found->second, row);
    const std::string group = line["group"];
    for (const std::string& name : {group + " " + line["shading"].get<std::string>(), group, std::string("all")}) {
      ++means[name].first;
      means[name].second += std::log(line["ratio"].get<double>());
    }
    result["results"].push_back(std::move(line));
  }
  if (means.empty()) throw std::runtime_error(before + " and " + after + " have no row in common");
  for (const auto& [name, mean] : means)
    result["geomeans"][name] = {{"rows", mean.first}, {"ratio", std::exp(mean.second / double(mean.first))}};
  return result;
} catch (const nlohmann::json::exception& error) {
  throw std::runtime_error(before + ", " + after + ": a field is missing or of another kind (" + error.what() +
                           "); run the benchmark again");
}

std::string difference_table(const Json& difference) {
  std::vector<std::vector<std::string>> lines;
  for (const Json& row : difference["results"]) {
    std::string name = row["name"];
    if (row.contains("x")) name += " (" + row["curve"].get<std::string>() + " " + fixed(row["x"], 0) + ")";
    lines.push_back(
        {printable(name), row["shading"], fixed(row["before_ms"], 2), fixed(row["after_ms"], 2),
         fmt::format("{:.2f} ({:.2f}-{:.2f})", double(row["ratio"]), double(row["low"]), double(row["high"])),
         fixed(row["least"], 2), row.contains("machine") ? fixed(row["machine"], 2) : ""});
  }
  std::string text =
      format_table({"frame", "shading", "before ms", "after ms", "before / after", "of the least", "peer's"}, lines);
  std::vector<std::vector<std::string>> means;
  for (const auto& [name, mean] : difference["geomeans"].items())
    means.push_back({name, std::to_string(mean["rows"].get<size_t>()), fixed(mean["ratio"], 3)});
  return text + "\n" + format_table({"geometric mean", "frames", "before / after"}, means);
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
    const Json scene = pair.manifest.value("scene", Json());
    return scene.is_object() ? scene.value("geometry_sha256", Json()) : Json();
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
  const std::string interval = ratio["high"].is_null()
                                   ? "too few frames for an interval"
                                   : fmt::format("{:.3f} to {:.3f} with {:.0f} % confidence", double(ratio["low"]),
                                                 double(ratio["high"]), 100 * double(ratio["confidence"]));
  text += fmt::format("median: after is {:.3f} times as fast, {}\n", double(ratio["ratio"]), interval);
  if (!d["same_scene"].get<bool>()) text += "The scenes differ: the ratio says nothing about a change.\n";
  return text;
}

}  // namespace brokkr::app
