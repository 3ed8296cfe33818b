// The commands of the program, one per file; `import` shares the file of `capture`.
#pragma once

#include <vector>

#include "app/module.h"

namespace brokkr::app {

// The program's own commands and those of the modules, in the order of help.
std::vector<Command> all_commands(const std::vector<Module>& modules);

Command render_command(const std::vector<Module>& modules);
Command check_command();
Command info_command();
Command pixel_command();
Command compare_command();
Command fuzz_settings_command();
Command extract_command();
Command bench_command();
Command plot_command();
Command pattern_command();
Command optimize_command();
Command trim_command();
Command machines_command();
Command shaders_command();
Command view_command(std::vector<ViewPart> parts);
Command capture_command();
Command import_command();

// Returns true if `brokkr view` could open a window: a display exists, and brokkr-view was built.
bool can_view();

}  // namespace brokkr::app
