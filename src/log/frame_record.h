// One frame of a frame-time log: what PresentMon measures of any program, and what only Brokkr knows.
#pragma once

#include <cstdint>
#include <string>

#include "brokkr/statistics.h"

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
  double resolve_ms = 0;                  // from planes to pictures in linear order
  uint64_t queue_peak = 0, triangles = 0, fragments = 0;
};

// Fills the fields that the pipeline counts: those from `pattern` on except `policy`, and the busy times of a frame
// that took `frame_ms` from its beginning to present.
void fill_record(const Statistics& statistics, double frame_ms, FrameRecord& record);

}  // namespace brokkr
