// A module is a part of the program outside the renderer, such as a room of research. The apps know no module by name:
// each program's main.cpp passes them a list.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/command.h"

namespace brokkr::app {

// A module's part of `brokkr view`, the same in the program that starts the window and in the window's own program. Any
// function may be empty.
struct ViewPart {
  std::vector<Option> options;
  // Adds the scenes that the module's options stand for, and expands the names that those options define. Throws
  // UsageError.
  std::function<void(const Arguments&, std::vector<std::string>& files)> name_scenes;
  // Returns true if the module loads `file`: `is_built_in` for one of its built-in names, `is_file` for a file of its
  // kind.
  std::function<bool(const std::string&file)> is_built_in, is_file;
  // Returns true if this process opens the window; if several processes share a window, only one opens it. Throws
  // UsageError.
  std::function<bool(const Arguments&)> has_window;
};

struct Module {
  std::vector<Command> commands;
  std::vector<Option> render_options;  // options that `brokkr render` gets
  // Draws in place of `brokkr render` and returns the exit code. Returns nothing if the options do not select this
  // module.
  std::function<std::optional<int>(const Arguments&)> render;
  ViewPart view;
};

}  // namespace brokkr::app
