#include "viewer/settings_file.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file_io.h"
#include "base/json_parse.h"
#include "log/json_text.h"
#include "plan/options.h"
#include "viewer/camera_control.h"

namespace brokkr::viewer {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr size_t kRecent = 12, kBookmarkedFiles = 200;
constexpr uint64_t kLargestFile = 4 << 20;  // several times what write_settings makes

// The entries of the file that are fields as they are.
void for_each_entry(auto& settings, const auto& entry) {
  entry("recent", settings.recent);
  entry("window_width", settings.window_width);
  entry("window_height", settings.window_height);
  entry("maximized", settings.maximized);
  entry("panels", settings.panels);
  entry("panel", settings.panel);
  entry("docks", settings.docks.places);
  entry("open_panels", settings.docks.open);
  entry("dock_widths", settings.docks.widths);
  entry("dock_shares", settings.docks.shares);
  entry("scale", settings.scale);
  entry("frame_times", settings.frame_times);
  entry("folder", settings.folder);
  entry("sequence_speed", settings.sequence_speed);
  entry("sequence_loop", settings.sequence_loop);
}

// The same of traced pictures and of micropolygons.
void for_each_trace_entry(auto& trace, const auto& entry) {
  entry("adaptive", trace.adaptive);
  entry("samples", trace.samples);
  entry("bounces", trace.bounces);
  entry("worst_error", trace.worst_error);
  entry("decreasing_priorities", trace.decreasing_priorities);
  entry("exposure", trace.exposure);
  entry("map_opacity", trace.map_opacity);
}
void for_each_reyes_entry(auto& reyes, const auto& entry) {
  entry("budget_ms", reyes.budget_ms);
  entry("splits", reyes.splits);
  entry("gain", reyes.gain);
  entry("rate", reyes.rate);
  entry("grid_lines", reyes.grid_lines);
}

// Leaves `value` alone where the file has no such entry, or no valid one.
template <class T>
void take(const nlohmann::json& json, const char* name, T& value) {
  const auto found = json.find(name);
  if (found == json.end()) return;
  try {
    value = found->template get<T>();
  } catch (const nlohmann::json::exception&) {
  }
}

// What a file says may be beyond what widgets let through. A comparison with what is no number is false.
void keep_within(float& value, float least, float most, float otherwise) {
  value = value >= least && value <= most ? value : otherwise;
}
void keep_in_range(TraceSettings& s) {
  const TraceSettings usual;
  s.samples = std::clamp(s.samples, 4u, kMostSamples);
  s.bounces = std::min(s.bounces, kMostBounces);
  keep_within(s.worst_error, 1e-6f, 1e6f, usual.worst_error);
  keep_within(s.exposure, -kMostExposure, kMostExposure, usual.exposure);
  keep_within(s.map_opacity, 0, 1, usual.map_opacity);
}
void keep_in_range(ReyesSettings& s) {
  const ReyesSettings usual;
  keep_within(s.budget_ms, kLeastBudgetMs, kMostBudgetMs, usual.budget_ms);
  keep_within(s.gain, 1, kMostGain, usual.gain);
  keep_within(s.rate, kLeastRate, kMostRate, usual.rate);
  s.splits = std::min(s.splits, kMostReyesSplits);
}

}  // namespace

fs::path settings_path() {
  if (const char* const config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config == '/')
    return fs::path(config) / "brokkr" / "viewer.json";
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".config" / "brokkr" / "viewer.json";
  return {};
}

Settings read_settings(const fs::path& path, std::string& problem) {
  Settings s;
  std::error_code error;
  if (path.empty() || !fs::exists(path, error)) return s;
  try {
    // Objects that are sorted by their keys: to find a key in an ordered one takes as long as it is large.
    const auto json = parse_json<nlohmann::json>(as_text(read_file(path, kLargestFile)));
    std::map<std::string, std::string> options;
    take(json, "options", options);
    for (const auto& [name, text] : options) {
      try {
        set_option(s.options, name, text);
      } catch (const std::exception&) {
        // No option, or no value for it: of an older version, or a pattern whose file is gone.
      }
    }
    for_each_entry(s, [&](const char* name, auto& value) { take(json, name, value); });
    nlohmann::json trace, reyes;
    take(json, "trace", trace);
    take(json, "micropolygons", reyes);
    for_each_trace_entry(s.trace, [&](const char* name, auto& value) { take(trace, name, value); });
    for_each_reyes_entry(s.reyes, [&](const char* name, auto& value) { take(reyes, name, value); });
    int limit = int(s.reyes.limit);
    take(reyes, "limit", limit);
    s.reyes.limit = ReyesLimit(std::clamp(limit, 0, 2));
    std::map<std::string, std::map<std::string, std::string>> bookmarks;
    take(json, "bookmarks", bookmarks);
    for (const auto& [file, slots] : bookmarks) {
      for (const auto& [slot, text] : slots) {
        if (slot.size() == 1 && slot[0] >= '0' && slot[0] <= '9')
          s.bookmarks[file][size_t(slot[0] - '0')] = parse_camera(text, Camera{});
      }
    }
  } catch (const std::exception& failure) {
    problem = path.string() + ": " + failure.what() + "; it is ignored";
  }
  s.window_width = std::clamp(s.window_width, 320, 16384);
  s.window_height = std::clamp(s.window_height, 200, 16384);
  s.sequence_speed = std::clamp(s.sequence_speed, 0.1f, 120.0f);
  keep_in_range(s.trace);
  keep_in_range(s.reyes);
  s.scale = s.scale > 0 ? std::clamp(s.scale, 0.5f, 4.0f) : 0;
  if (s.recent.size() > kRecent) s.recent.resize(kRecent);
  return s;
}

void write_settings(const fs::path& path, const Settings& s) {
  ordered_json bookmarks = ordered_json::object();
  for (const auto& [file, slots] : s.bookmarks) {
    for (size_t slot = 0; slot < slots.size() && bookmarks.size() < kBookmarkedFiles; ++slot) {
      if (slots[slot]) bookmarks[file][std::to_string(slot)] = camera_text(*slots[slot]);
    }
  }
  ordered_json json = {{"options", option_texts(s.options)}};
  for_each_entry(s, [&](const char* name, const auto& value) { json[name] = value; });
  ordered_json trace, reyes;
  for_each_trace_entry(s.trace, [&](const char* name, const auto& value) { trace[name] = value; });
  for_each_reyes_entry(s.reyes, [&](const char* name, const auto& value) { reyes[name] = value; });
  reyes["limit"] = int(s.reyes.limit);
  json["trace"] = std::move(trace);
  json["micropolygons"] = std::move(reyes);
  json["bookmarks"] = std::move(bookmarks);
  make_folder(path.parent_path());
  write_text(path, json_text(json));
}

void add_recent(Settings& settings, const std::string& path) {
  std::error_code error;
  const bool file = fs::exists(path, error);
  const std::string name = file ? fs::absolute(path, error).string() : path;
  std::erase(settings.recent, name);
  settings.recent.insert(settings.recent.begin(), name);
  if (settings.recent.size() > kRecent) settings.recent.resize(kRecent);
}

}  // namespace brokkr::viewer
