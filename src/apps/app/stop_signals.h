// Ctrl-C while frames are timed: the frame under way is drawn to its end, and what was measured is kept.
#pragma once

#include <array>
#include <csignal>
#include <string>

namespace brokkr::app {

// While one lives, SIGINT and SIGTERM are noted; a second one ends the program as usual. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  bool stopped() const { return number() != 0; }
  std::string name() const;  // "SIGINT"; empty where nothing came
  int exit_code() const;     // 128 and the signal's number, as a shell has it; kSuccess where nothing came

 private:
  int number() const;
  std::array<struct sigaction, 2> before_{};
};

}  // namespace brokkr::app
