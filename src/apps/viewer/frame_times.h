// Times between frames that were shown: the strip under the image and the curve of the panel Log.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <deque>

#include "log/frame_statistics.h"
#include "viewer/looks.h"

namespace brokkr::viewer {

class FrameTimes {
 public:
  // A frame, but no first one (Presented::is_first), was shown so long after the one before. The last 600 are kept.
  void add(double ms);

  const FrameStatistics& statistics() const { return statistics_; }
  // Over the last frames, at most 64. 0 where there are none.
  double frames_per_second() const;

  // The curve, with its median and 99th percentile.
  void draw_curve(const Plot& plot) const;
  // A bar for each frame, newest right, those beyond the budget in a warning colour, and percentiles beside them.
  // `budget_ms`: the line that is drawn across; 0: none. `lines`: its height, in font sizes.
  void draw_strip(const char* id, float lines, double budget_ms) const;
  void clear() { *this = {}; }

 private:
  std::deque<double> ms_;  // newest last
  FrameStatistics statistics_;
};

}  // namespace brokkr::viewer
