// Ctrl-C during a measurement: the current frame is finished, and the results so far are kept.
#pragma once

#include <array>
#include <csignal>
#include <string>

namespace brokkr::app {

// While an object exists, it records SIGINT and SIGTERM; a second signal ends the program as usual. Only one object may
// exist at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  bool stopped() const { return number() != 0; }
  std::string name() const;  // "SIGINT"; empty if no signal came
  int exit_code() const;     // 128 plus the signal's number, as shells have it; kSuccess if no signal came

 private:
  int number() const;
  std::array<struct sigaction, 2> before_{};
};

}  // namespace brokkr::app
