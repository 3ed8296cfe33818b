// Frame-time logs as CSV: one line per frame, in the layout of PresentMon or MangoHud. A record holds the values that
// PresentMon measures for any program, and further values that only Brokkr can know.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "brokkr/statistics.h"
#include "log/machine_facts.h"

namespace brokkr {

// Times are in milliseconds unless the name says otherwise. "Present" is the call that hands the picture to the window
// system. Without a window it is the moment at which the frame is ready, and takes no time.
struct FrameRecord {
  double time_s = 0;               // time of present, in seconds since the recording began
  double between_presents_ms = 0;  // since the previous present; first frame: since the recording began
  double in_present_ms = 0;        // inside the call
  // from present to the launch's first block; negative, because the block comes first
  double until_render_start_ms = 0;
  double until_render_complete_ms = 0;   // from present to the launch's end; 0 if the launch ended first
  double until_displayed_ms = 0;         // from present to the end of the swap; 0 without a window
  double between_display_change_ms = 0;  // between the end of the previous swap and of this one
  double since_input_ms = 0;  // from the last input event to present; 0 without an event since the previous frame
  bool dropped = false;       // never shown

  double cpu_busy_ms = 0;  // from the start of the frame to present, without waiting for a GPU
  double gpu_busy_ms = 0;  // the launch if a GPU ran it, otherwise 0
  uint64_t frame_id = 0;   // counts up from 0
  std::string pattern, policy;
  int rasterizers = 0, bin = 0;
  double geometry_ms = 0, raster_ms = 0;  // mean over the blocks; together with idle time they add up to the launch
  double resolve_ms = 0;                  // converting planes to pictures in linear order, or to a GPU texture
  double update_ms = 0;                   // before the frame starts: moved views, preparing a scene
  double upload_ms = 0;                   // part of cpu_busy_ms: GPU memory and tables
  uint64_t queue_peak = 0, triangles = 0, fragments = 0;
};

// Fills the fields that the pipeline measures: those from `pattern` on except `policy`, and the busy times of a frame
// that took `frame_ms` from its start to present.
void fill_record(const Statistics& statistics, double frame_ms, FrameRecord& record);

// presentmon: the 19 columns of PresentMon 1 in order, followed by Brokkr's own.
// mangohud: MangoHud 0.8's two lines about the system, then 16 columns; unknown values (temperatures, clocks and memory
// of a GPU) are 0.
enum class LogFormat : uint8_t { presentmon, mangohud };

// "presentmon" or "mangohud"; empty for other names.
std::optional<LogFormat> log_format(std::string_view name);
const char* log_format_name(LogFormat format);

// Properties shared by all frames of a log.
struct LogSource {
  std::string application = "brokkr";
  std::string runtime = "Other";  // presenting API: "OpenGL" in the viewer, "Other" without a window
  uint64_t swap_chain = 0;        // identifies the window
  int sync_interval = 0;          // refresh intervals per swap
  bool allows_tearing = false;
  std::string present_mode = "Other";  // PresentMon's term for the way of presenting
  std::string gpu, driver;             // MangoHud's system line
};

// The names of a layout's columns, separated by commas.
std::string log_columns(LogFormat format);

// Flushes every line: a killed program loses none.
class FrameLogWriter {
 public:
  // Writes the heading. `out` must outlive the writer.
  FrameLogWriter(std::ostream& out, LogFormat format, LogSource source);
  void add(const FrameRecord& record);
  uint64_t frames() const { return frames_; }

 private:
  void add_mangohud(const FrameRecord& record);

  // The load of the whole computer for MangoHud's columns, read a few times a second.
  struct Load {
    double cpu_percent = 0;
    MemoryUse memory;
    int cpu_mhz = 0;
    ProcessorTicks ticks;
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
