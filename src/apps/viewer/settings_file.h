// The viewer's settings, kept from one start to the next in $XDG_CONFIG_HOME/brokkr/viewer.json, or under ~/.config
// where that is not set.
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
  RenderOptions options;            // in the file by their names on the command line
  std::vector<std::string> recent;  // files, newest first, at most 12
  std::map<std::string, std::array<std::optional<Camera>, 10>> bookmarks;  // by file
  int window_width = 1600, window_height = 900;
  bool maximized = false;
  bool panels = true;       // all but the image is shown
  bool time_line = true;    // so is that of the blocks, with the times of frames
  bool darken = true;       // what is not the chosen draw, where that is alone or the last
  bool one_to_one = false;  // an image pixel per screen pixel; false: the whole image
  std::string panel;        // the one that was opened last
  DockSettings docks;
  float scale = 0;                             // of the user interface; 0: as the monitor has it
  std::string folder;                          // of the open dialog
  std::map<std::string, std::string> modules;  // JSON objects by name: entries of modules, also of those not built in
  float sequence_speed = 10;
  bool sequence_loop = true;
};

// The path of the file; empty where neither variable is set.
std::filesystem::path settings_path();

// Entries that cannot be read count as missing; `problem` then says why, in one line.
Settings read_settings(const std::filesystem::path& path, std::string& problem);
// Throws std::runtime_error.
void write_settings(const std::filesystem::path& path, const Settings& settings);

void add_recent(Settings& settings, const std::string& path);

// Reads an entry of the file of settings. A missing or invalid entry leaves `value` unchanged.
template <class T>
void take(const nlohmann::json& json, const char* name, T& value) {
  const auto found = json.find(name);
  if (found == json.end()) return;
  try {
    value = found->template get<T>();
  } catch (const nlohmann::json::exception&) {
  }
}

// Values of a file may be beyond the limits of widgets. Comparisons with NaN are false, so `otherwise` replaces it.
inline void keep_within(float& value, float least, float most, float otherwise) {
  value = value >= least && value <= most ? value : otherwise;
}

}  // namespace brokkr::viewer
