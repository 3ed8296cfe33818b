// Times between presented frames: the strip under the image and the curve of the panel Log.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <deque>

#include "log/frame_statistics.h"
#include "viewer/looks.h"

namespace brokkr::viewer {

class FrameTimes {
 public:
  // Adds the time between this frame and the one before. Do not add first frames (Presented::is_first). The last 600
  // times are kept.
  void add(double ms);

  const FrameStatistics& statistics() const { return statistics_; }
  // Mean over the last 64 frames or fewer; 0 if there are none.
  double frames_per_second() const;

  // Draws the curve with its median and 99th percentile.
  void draw_curve(const Plot& plot) const;
  // Draws one bar per frame, newest at the right, in a warning colour beyond the budget, with percentiles beside the
  // bars. `budget_ms`: draws a line at this time; 0: no line. `lines`: the height, in font sizes.
  void draw_strip(const char* id, float lines, double budget_ms) const;
  void clear() { *this = {}; }

 private:
  std::deque<double> ms_;  // newest last
  FrameStatistics statistics_;
};

}  // namespace brokkr::viewer
