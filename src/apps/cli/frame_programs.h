// The programs of a captured frame, as `brokkr shaders` shows them.
#pragma once

#include <string>

#include "app/command.h"

namespace brokkr::app {

// A table of them, or, with --program and --print, one of them. Returns the exit code. Throws std::runtime_error and
// UsageError.
int show_programs(const std::string& file, const Arguments& arguments);

}  // namespace brokkr::app
