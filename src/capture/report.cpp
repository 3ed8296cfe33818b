#include "capture/report.h"

#include <fcntl.h>
#include <unistd.h>

#include "capture/settings.h"

namespace brokkr::capture {
namespace {

constexpr uint64_t kNamedSkips = 20;

// One write per line, so that lines of several threads and processes stay whole.
void write_line(int file, std::string line) {
  line += '\n';
  for (size_t written = 0; written < line.size();) {
    const ssize_t count = write(file, line.data() + written, line.size() - written);
    if (count <= 0) return;
    written += static_cast<size_t>(count);
  }
}

}  // namespace

void report(const std::string& message) { write_line(STDERR_FILENO, "brokkr capture: " + message); }

void report_skipped(int64_t frame, const std::string& label, const std::string& reason, uint64_t number) {
  if (number > kNamedSkips) return;
  report("frame " + std::to_string(frame) + ", draw " + label + " is not recorded: " + reason +
         (number == kNamedSkips ? "; further ones are only counted" : ""));
}

void write_status(const std::string& json) {
  if (settings().status.empty()) return;
  const int file = open(settings().status.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return;
  write_line(file, json);
  close(file);
}

}  // namespace brokkr::capture
