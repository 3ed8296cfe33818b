// The viewer's settings, stored in $XDG_CONFIG_HOME/brokkr/viewer.json, or under ~/.config if that variable is not set.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "brokkr/camera.h"
#include "brokkr/options.h"
#include "viewer/docks.h"

namespace brokkr::viewer {

struct Settings {
  RenderOptions options;                                                   // stored under their command-line names
  std::vector<std::string> recent;                                         // files, newest first, at most 12
  std::map<std::string, std::array<std::optional<Camera>, 10>> bookmarks;  // by file
  int window_width = 1600, window_height = 900;
  bool maximized = false;
  bool panels = true;           // all but the image is shown
  bool time_line = true;        // so is that of the blocks, with the times of frames
  bool darken = true;           // what is not the chosen draw, where that is alone or the last
  bool one_to_one = false;      // an image pixel per screen pixel; false: the whole image
  bool chosen_samples = false;  // the options' number of samples is the user's
  std::string panel;            // the one that was opened last
  DockSettings docks;
  float scale = 0;     // of the user interface; 0: the monitor's
  std::string folder;  // of the Open dialog
  // JSON objects of modules by name, including modules that are not built in
  std::map<std::string, std::string> modules;
  float sequence_speed = 10;
  bool sequence_loop = true;
};

// The path of the file; empty if neither variable is set.
std::filesystem::path settings_path();

// Treats unreadable entries as missing; `problem` then holds a one-line reason.
Settings read_settings(const std::filesystem::path& path, std::string& problem);
// Throws std::runtime_error.
void write_settings(const std::filesystem::path& path, const Settings& settings);

void add_recent(Settings& settings, const std::string& path);

// Reads one entry of the settings file. A missing or invalid entry leaves `value` unchanged.
template <class T>
void take(const nlohmann::json& json, const char* name, T& value) {
  const auto found = json.find(name);
  if (found == json.end()) return;
  try {
    value = found->template get<T>();
  } catch (const nlohmann::json::exception&) {
  }
}

// Values in a file may exceed the limits of widgets. Comparisons with NaN are false, so `otherwise` replaces NaN.
inline void keep_within(float& value, float min, float max, float otherwise) {
  value = value >= min && value <= max ? value : otherwise;
}

}  // namespace brokkr::viewer
