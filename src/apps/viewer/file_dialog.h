// The open dialog: places, folders and scenes with their pictures, a line to type a path or a generated scene's name
// into.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "viewer/module.h"
#include "viewer/thumbnails.h"

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
  // `recent`: files, whose folders are among the places.
  std::optional<std::string> draw(const std::vector<std::string>& recent, Thumbnails& thumbnails);

 private:
  struct Entry {
    std::string name;
    bool folder = false, readable = true;
    uint64_t bytes = 0;
  };
  void go(const std::string& folder);
  void draw_places(const std::vector<std::string>& recent);
  std::optional<std::string> draw_entries(Thumbnails& thumbnails);
  std::optional<std::string> draw_generated();
  std::string problem_of(const std::string& path) const;

  std::vector<Module> modules_;
  bool open_ = false;
  bool all_ = false;  // files of other kinds are listed too
  std::string folder_, problem_;
  std::vector<Entry> entries_;
  std::string typed_;
  bool retype_ = false;  // what was typed cannot be opened: the line gets the keyboard again
};

}  // namespace brokkr::viewer
