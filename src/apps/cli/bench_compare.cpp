#include "cli/bench_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <vector>

#include "app/text.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "cli/bench_report.h"
#include "log/frame_statistics.h"
#include "log/log_reader.h"
#include "log/machine_facts.h"
#include "log/manifest.h"

namespace brokkr::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMaxFileBytes = uint64_t(1) << 28;

// The file's JSON; null if it is not JSON.
Json read_json(const std::string& path) { return parse_json_or_null(as_text(read_file(path, kMaxFileBytes))); }

Json read_result(const std::string& path) {
  Json json = read_json(path);
  if (!json.is_object() || json.value("kind", "") != "brokkr bench" || !json.contains("results"))
    throw std::runtime_error(path + ": is not a result of `brokkr bench --json`; name two results");
  if (json.value("format", 0) != kBenchFormat)
    throw std::runtime_error(path + ": field 'format': written by another version; run the benchmark again");
  return json;
}

std::string key(const Json& row) {
  const auto text = [&](const char* field) { return row.value(field, ""); };
  return fmt::format("{} {} {} {} {}", row.at("name").get<std::string>(), row.at("shading").get<std::string>(),
                     text("curve"), text("series"), row.value("x", 0.0));
}

std::vector<double> rounds(const Json& times) { return times.at("rounds_ms").get<std::vector<double>>(); }

constexpr const char* kNoDifference = "not significant";
constexpr const char* kApart =
    "The two did not run together, so the ratio includes every other difference in the computer's work. For a reliable "
    "comparison, alternate them: brokkr bench FILE --ab OPTIONS, or --ab-program PROGRAM.";

struct Range {
  double low = 0, high = 0;
  bool holds_one() const { return low <= 1 && 1 <= high; }
};

// The range of ratios between any round of one run and any round of the other.
Range range_of(const std::vector<double>& before, const std::vector<double>& after) {
  if (before.empty() || after.empty()) throw std::runtime_error("a row without rounds; run the benchmark again");
  const auto [low_a, high_a] = std::minmax_element(before.begin(), before.end());
  const auto [low_b, high_b] = std::minmax_element(after.begin(), after.end());
  return {*low_a / *high_b, *high_a / *low_b};
}

std::optional<MachineLoad> load_of(const Json& json) { return load_of_json(json.value("load", Json())); }

// The reason why the ratio of two runs says nothing about a change: the load of the computer, or a changed time of a
// peer that itself did not change. Empty if there is none.
std::string doubt_about(const Json& before, const Json& after, const std::string& peer, const Range& machine) {
  std::string load = load_difference(load_of(before), load_of(after));
  const bool measured = load_of(before) && load_of(after) && load_of(before)->others && load_of(after)->others;
  if (!load.empty() && (measured || peer.empty())) return load;
  if (peer.empty() || machine.holds_one()) return {};
  return fmt::format("{} itself took {:.2f} to {:.2f} times as long before as after", printable(peer), machine.low,
                     machine.high);
}

Json difference_of(const Json& before, const Json& after) {
  const double a = before.at("brokkr").at("median_ms"), b = after.at("brokkr").at("median_ms");
  const Range range = range_of(rounds(before.at("brokkr")), rounds(after.at("brokkr")));
  Json row = {{"name", before.at("name")},
              {"shading", before.at("shading")},
              {"group", before.at("group")},
              {"before_ms", a},
              {"after_ms", b},
              {"ratio", a / b},
              {"low", range.low},
              {"high", range.high},
              {"least", before["brokkr"].at("least_ms").get<double>() / after["brokkr"].at("least_ms").get<double>()}};
  for (const char* name : {"curve", "series", "x"}) {
    if (before.contains(name)) row[name] = before[name];
  }
  // The same peer should take the same time for the same frame.
  const Json mine = before.value("peers", Json::object()), theirs = after.value("peers", Json::object());
  Range machine;
  std::string measured_peer;
  for (const auto& [name, peer] : mine.items()) {
    if (!theirs.contains(name)) continue;
    row["machine"] = peer.at("median_ms").get<double>() / theirs[name].at("median_ms").get<double>();
    machine = range_of(rounds(peer), rounds(theirs[name]));
    measured_peer = name;
    break;
  }
  const std::string doubt = doubt_about(before, after, measured_peer, machine);
  row["doubt"] = doubt.empty() ? Json() : Json(doubt);
  row["verdict"] = range.holds_one() || !doubt.empty() ? kNoDifference
                   : range.low > 1                     ? "after is faster"
                                                       : "before is faster";
  return row;
}

// A sentence that says how the two computers differ; empty if they are the same or not described.
std::string other_machine(const Json& before, const Json& after) {
  for (const char* name : {"processor", "cores", "gpu"}) {
    const Json a = before.value(name, Json()), b = after.value(name, Json());
    if (a.is_null() || b.is_null() || a == b) continue;
    return fmt::format("They ran on different computers, or with different resources: {} {} before, {} after.", name,
                       a.dump(), b.dump());
  }
  return {};
}

struct LogPair {
  Json manifest;
  FrameLog log;
};

LogPair read_log(const std::string& path) try {
  LogPair pair{read_json(path), {}};
  if (!pair.manifest.is_object() || pair.manifest.value("kind", "") != kLogKind)
    throw std::runtime_error(path + ": is not a manifest of `brokkr bench --log` or of the viewer; name two manifests");
  const std::filesystem::path csv =
      std::filesystem::path(path).parent_path() / std::filesystem::path(pair.manifest.at("log").get<std::string>());
  pair.log = read_frame_log(csv);
  return pair;
} catch (const nlohmann::json::exception& error) {
  throw std::runtime_error(path + ": a field is missing or of another kind (" + error.what() +
                           "); record the log again");
}

// Returns true if the two logs come from one `bench --ab` run.
bool taken_together(const Json& a, const Json& b) {
  const auto partner = [](const Json& manifest) {
    const Json race = manifest.value("race", Json());
    return race.is_object() ? race.value("with", Json()) : Json();
  };
  return partner(a).is_string() && partner(a) == b.at("log") && partner(b) == a.at("log") &&
         a.value("begun", Json()) == b.value("begun", Json());
}

size_t turn_of(const Json& manifest) {
  const Json turn = manifest.value("race", Json::object()).value("turn_pairs", Json());
  return turn.is_number_unsigned() ? turn.get<size_t>() : 1;
}

const char* log_verdict(Verdict verdict, bool doubtful) {
  if (verdict == Verdict::too_few) return "too few frames";
  if (verdict == Verdict::no_difference || doubtful) return kNoDifference;
  return verdict == Verdict::b_faster ? "after is faster" : "before is faster";
}

}  // namespace

Json bench_difference(const std::string& before, const std::string& after) try {
  const Json first = read_result(before), second = read_result(after);
  std::map<std::string, const Json*> known;
  for (const Json& row : first["results"]) {
    if (!row.contains("error")) known.emplace(key(row), &row);
  }
  Json result = {{"kind", "brokkr bench comparison"},
                 {"run_together", false},
                 {"before", first.at("environment")},
                 {"after", second.at("environment")},
                 {"results", Json::array()}};
  // number of rows, and the sum of the logarithms of their ratios
  std::map<std::string, std::pair<size_t, double>> means;
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
  std::set<std::string> doubts;
  std::vector<std::vector<std::string>> lines;
  for (const Json& row : difference["results"]) {
    std::string name = row["name"];
    if (row.contains("x")) name += " (" + row["curve"].get<std::string>() + " " + fixed(row["x"], 0) + ")";
    lines.push_back(
        {printable(name), row["shading"], fixed(row["before_ms"], 2), fixed(row["after_ms"], 2),
         fmt::format("{:.2f} ({:.2f}-{:.2f})", double(row["ratio"]), double(row["low"]), double(row["high"])),
         fixed(row["least"], 2), row.contains("machine") ? fixed(row["machine"], 2) : "",
         row["verdict"].get<std::string>() + (row["doubt"].is_null() ? "" : " *")});
    if (row["doubt"].is_string()) doubts.insert(row["doubt"].get<std::string>());
  }
  std::string text = format_table(
      {"frame", "shading", "before ms", "after ms", "before / after", "ratio of minima", "peer's", ""}, lines);
  std::vector<std::vector<std::string>> means;
  for (const auto& [name, mean] : difference["geomeans"].items())
    means.push_back({name, std::to_string(mean["rows"].get<size_t>()), fixed(mean["ratio"], 3)});
  text += "\n" + format_table({"geometric mean", "frames", "before / after"}, means) + kApart + "\n";
  const std::string machines = other_machine(difference["before"], difference["after"]);
  if (!machines.empty()) text += machines + "\n";
  for (const std::string& doubt : doubts) text += "* " + doubt + "\n";
  return text;
}

bool is_log_manifest(const std::string& path) {
  const Json json = read_json(path);
  return json.is_object() && json.contains("kind") && json["kind"] == kLogKind;
}

Json log_difference(const std::string& before, const std::string& after) {
  const LogPair a = read_log(before), b = read_log(after);
  const bool together = taken_together(a.manifest, b.manifest);
  const RatioEstimate ratio = together ? race_ratio({{a.log.frame_ms, b.log.frame_ms}, {}, turn_of(a.manifest)})
                                       : ratio_of_medians(a.log.frame_ms, b.log.frame_ms);
  Json json = {{"kind", "brokkr frame log comparison"}, {"run_together", together}};
  for (auto [name, file, pair] : {std::tuple{"before", &before, &a}, std::tuple{"after", &after, &b}}) {
    json[name] = {{"file", *file},
                  {"statistics", statistics_json(frame_statistics(pair->log.frame_ms))},
                  {"cut_off", pair->log.cut_off.empty() ? Json() : Json(pair->log.cut_off)}};
    for (const char* part : {"begun", "scene", "settings", "machine", "commit", "load"}) {
      if (pair->manifest.contains(part)) json[name][part] = pair->manifest[part];
    }
  }
  json["ratio_of_medians"] = {
      {"ratio", ratio.ratio}, {"low", ratio.low}, {"high", nullptr}, {"confidence", ratio.confidence}};
  if (std::isfinite(ratio.high)) json["ratio_of_medians"]["high"] = ratio.high;
  // The hash of the scene: a ratio between logs of different scenes means nothing.
  const auto hash = [](const LogPair& pair) {
    const Json scene = pair.manifest.value("scene", Json());
    return scene.is_object() ? scene.value("geometry_sha256", Json()) : Json();
  };
  json["same_scene"] = hash(a) == hash(b);
  const std::string doubt = together ? "" : load_difference(load_of(a.manifest), load_of(b.manifest));
  json["doubt"] = doubt.empty() ? Json() : Json(doubt);
  json["verdict"] = log_verdict(verdict(ratio), !doubt.empty());
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
  std::string text = format_table({"", "before", "after", "before / after"}, rows);
  const Json& ratio = d["ratio_of_medians"];
  const bool together = d["run_together"].get<bool>(), doubtful = d["doubt"].is_string();
  text += fmt::format("{}: before / after = {:.3f}", together ? "pairs" : "medians", double(ratio["ratio"]));
  if (!ratio["high"].is_null() && !doubtful) {
    text += fmt::format(" ({:.3f} to {:.3f}, {:.0f} % confidence{})", double(ratio["low"]), double(ratio["high"]),
                        100 * double(ratio["confidence"]), together ? "" : ", valid only for these two runs");
  }
  text += ": " + d["verdict"].get<std::string>() + "\n";
  if (doubtful) text += d["doubt"].get<std::string>() + "\n";
  text += together ? "The two ran together, in alternating frames.\n" : std::string(kApart) + "\n";
  const std::string machines =
      other_machine(d["before"].value("machine", Json::object()), d["after"].value("machine", Json::object()));
  if (!machines.empty()) text += machines + "\n";
  for (const char* name : {"before", "after"}) {
    if (d[name]["cut_off"].is_string()) text += printable(d[name]["cut_off"]) + "\n";
  }
  if (!d["same_scene"].get<bool>()) text += "The scenes differ: the ratio says nothing about a change.\n";
  return text;
}

}  // namespace brokkr::app
