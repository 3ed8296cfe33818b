// The command line of `brokkr`: finds the command, reads its options, runs it, and turns errors into one line.
#pragma once

namespace brokkr::app {

// Never throws. Data goes to standard output; progress and one line per error go to standard error.
int run(int argc, const char* const* argv);

}  // namespace brokkr::app
