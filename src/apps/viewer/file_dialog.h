// The open dialog: folders and scenes, a line to type a path or a generated scene's name into.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "viewer/painter.h"

namespace brokkr::viewer {

class FileDialog {
 public:
  // `painters`: what else there is to open.
  explicit FileDialog(Painters painters = {}) : painters_(std::move(painters)) {}

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

  Painters painters_;
  bool open_ = false;
  std::string folder_, problem_;
  std::vector<Entry> entries_;
  std::string typed_;
};

}  // namespace brokkr::viewer
