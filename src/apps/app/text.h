// Text on the terminal: numbers, tables, progress.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/counted.h"
#include "log/text.h"

namespace brokkr::app {

using brokkr::counted;
using brokkr::fixed;
using brokkr::grouped;

// Makes text from a file safe for a terminal: control characters become '?'.
std::string printable(std::string text);

// Prints "brokkr: warning: …" on standard error, over the current Progress line.
void warn(const std::string& text);

// A library's message can have several lines and quote bytes of a file; our errors are one line of text.
std::string one_line(std::string text);

// Prints "brokkr: …" on standard error, one line.
void complain(const std::string& text);

// "45 s", "3 min", "2 h 10 min".
std::string time_text(double seconds);

// Splits "a,b" at its commas; n commas give n + 1 parts.
std::vector<std::string> split(const std::string& list, char comma = ',');

// Writes text to the file, or to standard output if `path` is "-". Throws std::runtime_error.
void write_out(const std::string& path, const std::string& text);

// Writes the document of a command's --json: to the file `path`, to standard output if it is "-", and nowhere if it is
// empty, which is an option that was not given. Returns true for standard output, to which nothing else may then be
// written. Throws std::runtime_error.
bool write_document(const std::string& path, const nlohmann::ordered_json& document);

// Formats rows of equal length under a heading; the first column is left-aligned, numbers right-aligned.
std::string format_table(const std::vector<std::string>& heading, const std::vector<std::vector<std::string>>& rows);

// Shows progress as one line on standard error: at once on a terminal, every ten seconds elsewhere. The destructor
// removes the line from the terminal.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(const std::string& what);
  // Shows the progress of a long step with the time left: "tracing: 40 %, 12 s left". `part`: the completed fraction,
  // 0..1. The first call starts the clock.
  void show(const std::string& what, double part);

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_ = false;
  size_t shown_ = 0;  // length of the line on the terminal
  Clock::time_point quiet_until_;
  std::optional<Clock::time_point> step_begin_;
};

}  // namespace brokkr::app
