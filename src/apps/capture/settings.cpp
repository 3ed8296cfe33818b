#include "capture/settings.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace brokkr::capture {
namespace {

std::string text(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string program_name() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "unknown program" : path.filename().string();
}

Settings read() {
  Settings result;
  result.output = text("BROKKR_CAPTURE_OUTPUT");
  result.status = text("BROKKR_CAPTURE_STATUS");
  result.key = text("BROKKR_CAPTURE_KEY");
  result.application = text("BROKKR_CAPTURE_APPLICATION");
  result.license = text("BROKKR_CAPTURE_LICENSE");
  const std::string frame = text("BROKKR_CAPTURE_FRAME");
  const std::string count = text("BROKKR_CAPTURE_COUNT");
  if (!frame.empty()) result.frame = std::strtoll(frame.c_str(), nullptr, 10);
  if (!count.empty()) result.count = std::strtoll(count.c_str(), nullptr, 10);
  result.every = std::strtoll(text("BROKKR_CAPTURE_EVERY").c_str(), nullptr, 10);
  result.fast_forward = text("BROKKR_CAPTURE_FAST_FORWARD") == "1";
  result.check_state = text("BROKKR_CAPTURE_CHECK_STATE") == "1";
  result.programs = text("BROKKR_CAPTURE_NO_PROGRAMS") != "1";
  const std::string limit = text("BROKKR_CAPTURE_TEXTURE_LIMIT");
  if (!limit.empty()) result.texture_limit = std::strtoull(limit.c_str(), nullptr, 10) << 20;
  result.keep_running = text("BROKKR_CAPTURE_KEEP_RUNNING") == "1";
  if (result.application.empty()) result.application = program_name();
  return result;
}

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

const Settings& settings() {
  static const Settings result = read();
  return result;
}

void report(const std::string& message) { write_line(STDERR_FILENO, "brokkr capture: " + message); }

void report_skipped(int64_t frame, const std::string& label, const std::string& reason, uint64_t number) {
  if (number > kNamedSkips) return;
  report("frame " + std::to_string(frame) + ", draw " + label + " is not recorded: " + reason +
         (number == kNamedSkips ? "; further ones are only counted" : ""));
}

}  // namespace brokkr::capture
