// Runs a program under the capture layer and waits for the frames asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/command.h"

namespace brokkr::app {

// The first frame that --frame or --every name, if they do. Frames count from 0: frame N is drawn between swap N and
// the next one.
std::optional<int64_t> first_frame(const Arguments& arguments);

// Runs `command` (program first) until the frames that the options of `brokkr capture` ask for are written, or it ends
// by itself; prints one line per frame. `application`: for the file; empty: the program's name. `signal`: what the
// program is ended by. Returns the exit code.
int run_captured(const Arguments& arguments, const std::vector<std::string>& command, const std::string& application,
                 int signal);

}  // namespace brokkr::app
