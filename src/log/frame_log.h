// Frame-time logs as CSV: one line per frame, in PresentMon's or in MangoHud's layout.
#pragma once

#include <chrono>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "log/frame_record.h"

namespace brokkr {

// presentmon: the 19 columns of PresentMon 1 in their order, then Brokkr's own.
// mangohud: MangoHud 0.8's, two lines about the system and then 16 columns; what is not known (temperatures, clocks and
// memory of a GPU) is 0.
enum class LogFormat : uint8_t { presentmon, mangohud };

// "presentmon", "mangohud"; nothing for another name.
std::optional<LogFormat> log_format(std::string_view name);
const char* log_format_name(LogFormat format);

// What all frames of a log have in common.
struct LogSource {
  std::string application = "brokkr";
  std::string runtime = "Other";  // what presents: "OpenGL" in the viewer, "Other" without a window
  uint64_t swap_chain = 0;        // a number that tells windows apart
  int sync_interval = 0;          // refreshes that a swap waits for
  bool allows_tearing = false;
  std::string present_mode = "Other";  // PresentMon's word for how pictures reach the screen
  std::string gpu, driver;             // MangoHud's system line
};

// The names of a layout's columns, with commas.
std::string log_columns(LogFormat format);

class FrameLogWriter {
 public:
  // Writes what comes before the first frame. `out` must outlive the writer.
  FrameLogWriter(std::ostream& out, LogFormat format, LogSource source);
  void add(const FrameRecord& record);
  uint64_t frames() const { return frames_; }

 private:
  void add_mangohud(const FrameRecord& record);

  // What MangoHud shows of the whole computer, looked up a few times a second.
  struct Load {
    double cpu_percent = 0, ram_gib = 0, swap_gib = 0, resident_gib = 0;
    int cpu_mhz = 0;
    uint64_t busy = 0, all = 0;  // of /proc/stat
    std::chrono::steady_clock::time_point taken;
  };
  void look_at_load();

  std::ostream& out_;
  LogFormat format_;
  LogSource source_;
  std::string before_, middle_;  // constant parts of a PresentMon line
  uint64_t frames_ = 0;
  Load load_;
};

}  // namespace brokkr
