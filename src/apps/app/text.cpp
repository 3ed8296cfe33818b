#include "app/text.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/file_io.h"

namespace brokkr::app {

std::string time_text(double seconds) {
  const auto whole = uint64_t(std::lround(std::max(seconds, 0.0)));
  if (whole < 100) return std::to_string(whole) + " s";
  const uint64_t minutes = (whole + 30) / 60;
  if (minutes < 60) return std::to_string(minutes) + " min";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text;
}

void warn(const std::string& text) {
  const char* const over = isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "";
  std::cerr << (over + ("brokkr: warning: " + printable(text) + "\n")) << std::flush;
}

void write_out(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout << text;
  } else {
    write_text(path, text);
  }
}

bool write_document(const std::string& path, const nlohmann::ordered_json& document) {
  if (!path.empty()) write_out(path, json_text(document));
  return path == "-";
}

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return printable(text);
}

void complain(const std::string& text) {
  // The library's messages do not name the option that raises its limit.
  const bool lacks_option =
      text.ends_with("raise the memory limit") && text.find("--memory-limit") == std::string::npos;
  std::cout.flush();
  std::cerr << "brokkr: " + one_line(text) + (lacks_option ? " (--memory-limit)\n" : "\n") << std::flush;
}

std::vector<std::string> split(const std::string& list, char comma) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= list.size(); begin += parts.back().size() + 1)
    parts.push_back(list.substr(begin, list.find(comma, begin) - begin));
  return parts;
}

std::string format_table(const std::vector<std::string>& heading, const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const std::string& cell : heading) widths.push_back(cell.size());
  for (const auto& row : rows) {
    for (size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  }
  std::string text;
  const auto add_row = [&](const std::vector<std::string>& row) {
    std::string line;
    for (size_t column = 0; column < row.size(); ++column) {
      const std::string padding(widths[column] - row[column].size(), ' ');
      line += (column == 0 ? "" : "  ") + (column == 0 ? row[column] + padding : padding + row[column]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add_row(heading);
  for (const auto& row : rows) add_row(row);
  return text;
}

namespace {
constexpr std::chrono::seconds kQuiet(10);  // between two lines written to a pipe or a file
}

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1), quiet_until_(Clock::now() + kQuiet) {}

Progress::~Progress() {
  if (shown_ > 0) std::cerr << '\r' << std::string(shown_, ' ') << '\r' << std::flush;
}

void Progress::show(const std::string& what) {
  if (terminal_) {
    const std::string padding(shown_ > what.size() ? shown_ - what.size() : 0, ' ');
    std::cerr << '\r' << what << padding << std::flush;
    shown_ = what.size();
  } else if (Clock::now() >= quiet_until_) {
    std::cerr << what << '\n' << std::flush;
    quiet_until_ = Clock::now() + kQuiet;
  }
}

void Progress::show(const std::string& what, double part) {
  if (!step_begin_) step_begin_ = Clock::now();
  part = std::clamp(part, 0.0, 1.0);
  std::string line = what + ": " + std::to_string(int(100 * part)) + " %";
  const double seconds = std::chrono::duration<double>(Clock::now() - *step_begin_).count();
  if (part > 0 && seconds > 1) line += ", " + time_text(seconds * (1 - part) / part) + " left";
  show(line);
}

}  // namespace brokkr::app
