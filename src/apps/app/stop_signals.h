// Ctrl-C during a measurement or a picture: results so far are kept, and one line tells what was written.
#pragma once

#include <array>
#include <csignal>
#include <string>

namespace brokkr::app {

// A signal ended a command; run_guarded prints `line`, and the program exits with `exit_code`. It is no std::exception,
// so that nothing takes it for an error of a file.
struct Stopped {
  std::string signal;  // "SIGINT"
  int exit_code = 0;
  std::string line;  // "ended by SIGINT; nothing was written"
};

// While an object exists, it records SIGINT and SIGTERM, unless they are ignored; a second signal ends the program as
// usual. Only one object may exist at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  bool stopped() const { return number() != 0; }
  // Throws Stopped if a signal came while the object that exists now did. Does nothing if there is none.
  static void check();
  std::string name() const;  // "SIGINT"; empty if no signal came
  int exit_code() const;     // 128 plus the signal's number, as shells have it; kSuccess if no signal came

 private:
  static int number();
  std::array<struct sigaction, 2> before_{};
};

}  // namespace brokkr::app
