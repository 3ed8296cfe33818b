// The Open dialog: places, folders, scenes with thumbnails, and a line for a path or the name of a generated scene.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "viewer/module.h"
#include "viewer/thumbnails.h"

namespace brokkr::viewer {

// A path with the home folder in place of a leading ~, as in a shell.
std::string with_home(const std::string& path);

// The reason why a path cannot be opened; empty if opening it can be tried. `modules`: may add scenes to open.
std::string why_not_to_open(const std::string& path, const std::vector<Module>& modules);

class FileDialog {
 public:
  // `modules`: may add scenes to open.
  explicit FileDialog(std::vector<Module> modules = {}) : modules_(std::move(modules)) {}

  // `folder`: the initial folder; empty: the current one.
  void open(const std::string& folder);
  void close() { open_ = false; }
  const std::string& folder() const { return folder_; }
  // Draws the dialog while it is open. Returns the user's choice: a file, a folder of frames, or the name of a built-in
  // scene. `recent`: files whose folders become places.
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

  std::vector<Module> modules_;
  bool open_ = false;
  bool all_ = false;  // also list other kinds of files
  std::string folder_, problem_;
  std::vector<Entry> entries_;
  std::string typed_;
  bool retype_ = false;  // the typed path cannot be opened: focus the line again
};

}  // namespace brokkr::viewer
