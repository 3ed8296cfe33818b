// The command line of `brokkr`: finds the command, reads its options, runs it, and turns errors into one line.
#pragma once

namespace brokkr::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;     // a file, a machine or a comparison failed
inline constexpr int kUsageError = 2;  // the command line itself is wrong

// Never throws. Data goes to standard output; progress and one line per error go to standard error.
int run(int argc, const char* const* argv);

}  // namespace brokkr::cli
