// Frame-time logs as CSV: one line per frame, in the layout of PresentMon or of MangoHud. A record holds what
// PresentMon measures of any program, and what only Brokkr knows.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "brokkr/statistics.h"
#include "log/machine_facts.h"
#include "log/machine_load.h"

namespace brokkr {

// Times are milliseconds unless the name says otherwise. "Present" is the call that hands the picture to the window
// system; without a window it is the moment at which the frame is ready, and takes no time.
struct FrameRecord {
  double time_s = 0;                 // present, in seconds since the recording began
  double between_presents_ms = 0;    // since the previous present; for the first frame since the recording began
  double in_present_ms = 0;          // inside the call
  double until_render_start_ms = 0;  // from present to the launch's first block; negative, since the block comes first
  double until_render_complete_ms = 0;   // from present to the launch's end; 0 where the launch ended first
  double until_displayed_ms = 0;         // from present to the end of the swap; 0 without a window
  double between_display_change_ms = 0;  // between the ends of this swap and the one before
  double since_input_ms = 0;  // from the last input event to present; 0 without an event since the previous frame
  bool dropped = false;       // never shown

  double cpu_busy_ms = 0;  // from the frame's begin to present, without waiting for a GPU
  double gpu_busy_ms = 0;  // the launch where a GPU ran it, else 0
  uint64_t frame_id = 0;   // counts up from 0
  std::string pattern, policy;
  int rasterizers = 0, bin = 0;
  double geometry_ms = 0, raster_ms = 0;  // mean over the blocks: with idle time they add up to the launch
  double resolve_ms = 0;                  // from planes to pictures in linear order, or to a GPU's texture
  double update_ms = 0;                   // before the frame's begin: views that moved, a scene made ready
  double upload_ms = 0;                   // of cpu_busy_ms: memory and tables of a GPU
  uint64_t queue_peak = 0, triangles = 0, fragments = 0;
};

// Fills the fields that the pipeline counts: those from `pattern` on except `policy`, and the busy times of a frame
// that took `frame_ms` from its beginning to present.
void fill_record(const Statistics& statistics, double frame_ms, FrameRecord& record);

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

// Every line is flushed as it is made: a program that is ended loses none.
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
