// The time line along the bottom of the window: a row for each block of the last frame, in the colours of what it did.
#pragma once

#include "viewer/block_timeline.h"
#include "viewer/panel.h"

namespace brokkr::viewer {

class TimeLine {
 public:
  // Draws it in what is left of the window. The frame must have been recorded (RenderOptions::trace); until one was, it
  // says so. Sets state.moment_us.
  void draw(ViewerState& state);

 private:
  void draw_legend(const Statistics& statistics) const;
  void draw_block(ImVec2 at, float width, float height, int block) const;
  void move_range(double across, float width);

  BlockTimeline timeline_;
  uint64_t number_ = 0;  // of the frame that it is about
  TimeRange range_;
};

}  // namespace brokkr::viewer
