// A module is a part of the program outside the renderer, such as a room of research. The apps know no module by name:
// each program's main.cpp passes them a list.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/command.h"

namespace brokkr::app {

// A module's part of `brokkr view`, alike in the program that starts the window and in the window's own program. Any
// function may be empty.
struct ViewPart {
  std::vector<Option> options;
  // Adds the scenes that its options stand for, and replaces names that they explain. Throws UsageError.
  std::function<void(const Arguments&, std::vector<std::string>& files)> name_scenes;
  // True if `file` is a scene that the module loads: one of its built-in names, or a file of its kind.
  std::function<bool(const std::string&file)> is_built_in, is_file;
  // True if this process opens the window; another does where several show one together. Throws UsageError.
  std::function<bool(const Arguments&)> has_window;
};

struct Module {
  std::vector<Command> commands;
  std::vector<Option> render_options;  // of `brokkr render`
  // Draws in place of `brokkr render`, and returns the exit code; nothing where the options do not ask for that.
  std::function<std::optional<int>(const Arguments&)> render;
  ViewPart view;
};

}  // namespace brokkr::app
