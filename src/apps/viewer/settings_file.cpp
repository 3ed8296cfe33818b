#include "viewer/settings_file.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/file_io.h"
#include "base/json_parse.h"
#include "log/text.h"
#include "plan/options.h"
#include "viewer/camera_control.h"

namespace brokkr::viewer {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr size_t kRecent = 12, kBookmarkedFiles = 200;
constexpr uint64_t kLargestFile = 4 << 20;  // in bytes; several times the size that write_settings produces

// The entries that map directly to fields.
void for_each_entry(auto& settings, const auto& entry) {
  entry("recent", settings.recent);
  entry("window_width", settings.window_width);
  entry("window_height", settings.window_height);
  entry("maximized", settings.maximized);
  entry("panels", settings.panels);
  entry("panel", settings.panel);
  entry("section", settings.docks.section);
  entry("open_panels", settings.docks.open);
  entry("dock_parts", settings.docks.widths);
  entry("draws_share", settings.docks.share);
  entry("scale", settings.scale);
  entry("time_line", settings.time_line);
  entry("darken", settings.darken);
  entry("one_to_one", settings.one_to_one);
  entry("chosen_samples", settings.chosen_samples);
  entry("folder", settings.folder);
  entry("sequence_speed", settings.sequence_speed);
  entry("sequence_loop", settings.sequence_loop);
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
    // Use sorted objects: finding a key in an ordered_json takes linear time.
    const auto json = parse_json<nlohmann::json>(as_text(read_file(path, kLargestFile)));
    std::map<std::string, std::string> options;
    take(json, "options", options);
    for (const auto& [name, text] : options) {
      try {
        set_option(s.options, name, text);
      } catch (const std::exception&) {
        // Ignore an unknown option or an invalid value: it may come from an older version, or from a pattern file that
        // is gone.
      }
    }
    for_each_entry(s, [&](const char* name, auto& value) { take(json, name, value); });
    std::set<std::string> known = {"options", "bookmarks"};
    for_each_entry(s, [&](const char* name, const auto&) { known.insert(name); });
    for (const auto& [name, value] : json.items()) {
      if (value.is_object() && !known.contains(name)) s.modules[name] = value.dump();
    }
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
  for (const auto& [name, text] : s.modules) json[name] = parse_json(text);
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
