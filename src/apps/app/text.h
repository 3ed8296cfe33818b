// Text on the terminal: numbers, tables, progress.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "log/text.h"

namespace brokkr::app {

using brokkr::fixed;
std::string grouped(uint64_t value);  // "1 234 567"

// Text from a file, fit for a terminal: control characters become '?'.
std::string printable(std::string text);

// "brokkr: warning: …" on standard error, over what Progress shows there.
void warn(const std::string& text);

// "45 s", "3 min", "2 h 10 min".
std::string time_text(double seconds);

// "a,b" as its parts, one more than it has commas.
std::vector<std::string> split(const std::string& list, char comma = ',');

// Writes text to the file, or to standard output if `path` is "-". Throws std::runtime_error.
void write_out(const std::string& path, const std::string& text);

// Rows of equal length under a heading; the first column is left-aligned, numbers to the right.
std::string format_table(const std::vector<std::string>& heading, const std::vector<std::vector<std::string>>& rows);

// One line on standard error that shows progress: at once on a terminal, every ten seconds elsewhere. The destructor
// removes it from the terminal.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(const std::string& what);
  // Adds what is left of a long step: "tracing: 40 %, 12 s left". `part`: 0..1 of the step that the first of these
  // calls began.
  void show(const std::string& what, double part);

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_ = false;
  size_t shown_ = 0;  // characters of the line on the terminal
  Clock::time_point quiet_until_;
  std::optional<Clock::time_point> step_begin_;
};

}  // namespace brokkr::app
