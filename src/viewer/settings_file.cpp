#include "viewer/settings_file.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>

#include "log/json_text.h"
#include "pipeline/options.h"
#include "scene/file_io.h"
#include "scene/json_parse.h"
#include "viewer/camera_control.h"

namespace brokkr::viewer {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr size_t kRecent = 12, kBookmarkedFiles = 200;
constexpr uint64_t kLargestFile = 4 << 20;

// Leaves `value` alone where the file has no such entry, or no valid one.
template <class T>
void take(const ordered_json& json, const char* name, T& value) {
  const auto found = json.find(name);
  if (found == json.end()) return;
  try {
    value = found->template get<T>();
  } catch (const nlohmann::json::exception&) {
  }
}

// Leaves out entries that are no options, or no values for them: those of an older version, or patterns whose file is
// gone.
void take_option(RenderOptions& options, const std::string& name, const std::string& text) {
  try {
    set_option(options, name, text);
  } catch (const std::exception&) {
  }
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
    const auto json = parse_json(as_text(read_file(path, kLargestFile)));
    std::map<std::string, std::string> options;
    take(json, "options", options);
    for (const auto& [name, text] : options) take_option(s.options, name, text);
    take(json, "recent", s.recent);
    take(json, "window_width", s.window_width);
    take(json, "window_height", s.window_height);
    take(json, "maximized", s.maximized);
    take(json, "panels", s.panels);
    take(json, "panel", s.panel);
    take(json, "side_bar", s.side_bar);
    take(json, "folder", s.folder);
    take(json, "sequence_speed", s.sequence_speed);
    take(json, "sequence_loop", s.sequence_loop);
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
  s.window_height = std::clamp(s.window_height, 240, 16384);
  s.sequence_speed = std::clamp(s.sequence_speed, 0.1f, 120.0f);
  s.side_bar = std::clamp(s.side_bar, 240.0f, 2000.0f);
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
  const ordered_json json = {{"options", option_texts(s.options)},
                             {"recent", s.recent},
                             {"window_width", s.window_width},
                             {"window_height", s.window_height},
                             {"maximized", s.maximized},
                             {"panels", s.panels},
                             {"panel", s.panel},
                             {"side_bar", s.side_bar},
                             {"folder", s.folder},
                             {"sequence_speed", s.sequence_speed},
                             {"sequence_loop", s.sequence_loop},
                             {"bookmarks", bookmarks}};
  fs::create_directories(path.parent_path());
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
