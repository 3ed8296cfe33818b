// The open dialog: folders and scenes, a line to type a path or a generated scene's name into.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "viewer/module.h"

namespace brokkr::viewer {

class FileDialog {
 public:
  // `modules`: what else there is to open.
  explicit FileDialog(std::vector<Module> modules = {}) : modules_(std::move(modules)) {}

  // `folder`: where to begin; empty: the current one.
  void open(const std::string& folder);
  void close() { open_ = false; }
  const std::string& folder() const { return folder_; }
  // Draws the dialog while it is open. Returns what was chosen: a file, a folder of frames, or a built-in scene's name.
  std::optional<std::string> draw();

 private:
  struct Entry {
    std::string name;
    bool folder = false;
    uint64_t bytes = 0;
  };
  void go(const std::string& folder);
  std::optional<std::string> draw_entries();

  std::vector<Module> modules_;
  bool open_ = false;
  std::string folder_, problem_;
  std::vector<Entry> entries_;
  std::string typed_;
};

}  // namespace brokkr::viewer
