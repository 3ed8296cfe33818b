// The commands of the program: one per file, but that `import` is in that of `capture`.
#pragma once

#include <vector>

#include "app/command.h"

namespace brokkr::app {

// In the order that help shows them.
const std::vector<Command>& commands();

Command render_command();
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
Command reyes_command();
Command trace_command();
Command view_command();
Command capture_command();
Command import_command();
// `brokkr render` that draws with the ranks that mpirun started.
Command with_ranks(Command render);
Command ranks_command();

// Whether `brokkr view` could open a window: a display is named, and brokkr-view was built.
bool can_view();

}  // namespace brokkr::app
