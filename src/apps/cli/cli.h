// The command line of `brokkr`: finds the command, reads its options, runs it, and turns errors into one line.
#pragma once

#include <vector>

#include "app/module.h"

namespace brokkr::app {

// Runs a command line. `modules`: the modules that extend the program. Never throws. Data goes to standard output;
// progress and one line per error go to standard error.
int run(int argc, const char* const* argv, const std::vector<Module>& modules);

}  // namespace brokkr::app
