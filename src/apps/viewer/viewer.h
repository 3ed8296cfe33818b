// The viewer: window, threads and panels together.
#pragma once

#include <vector>

#include "app/command.h"
#include "viewer/module.h"

namespace brokkr::viewer {

// Shows, with what these modules add, the window that `brokkr view` was asked for until the user closes it; the exit
// code. Throws std::runtime_error where there is no display or no OpenGL 3.3.
int show(const app::Arguments& arguments, std::vector<Module> modules);

}  // namespace brokkr::viewer
