// Shows the work of each block in a frame, from the trace [Kerbl18, Fig. 7.13].
#pragma once

#include <imgui.h>

#include <array>
#include <vector>

#include "brokkr/statistics.h"
#include "viewer/panel.h"

namespace brokkr::viewer {

// A part of a frame's time: 0 is the start of the frame, 1 its end.
struct TimeRange {
  double begin = 0, end = 1;
  double length() const { return end - begin; }
  bool operator==(const TimeRange&) const = default;
};
// Shortens (`factor` below 1) or lengthens a range around its point `share` (0..1 of the range), which stays in place.
// The result lies within the frame and is at least a hundred-thousandth of it.
TimeRange zoomed(const TimeRange& range, double share, double factor);
// Moves a range by a fraction of its own length, within the frame.
TimeRange panned(const TimeRange& range, double share);

// The shares of the stages in each of `columns` slices of a part of the frame. share[block * columns + column][stage]
// is 0..1; time up to a sum of 1 was not recorded.
struct BlockTimeline {
  int blocks = 0, columns = 0;
  TimeRange range;
  double end_us = 0;  // of the whole frame
  std::vector<std::array<float, size_t(Stage::count)>> share;
};

BlockTimeline make_timeline(const Statistics& statistics, int columns, const TimeRange& range = {});

// The block's event at that moment; null if none was recorded.
const TraceEvent* event_at(const Statistics& statistics, uint32_t block, double at_us);

// The fill of the scheduler's buckets at one moment of a frame, measured by the work done later on their tasks.
struct BucketLevels {
  uint64_t geometry_tasks = 0, geometry_left = 0;  // tasks of the frame, and tasks not yet begun
  std::vector<double> left_us;                     // per rasterizer: the time that blocks spent on it after that moment
  std::vector<double> whole_us;  // per rasterizer: the time that blocks spent on it in the whole frame
};

BucketLevels bucket_levels(const Statistics& statistics, double at_us);

// The time line at the bottom of the window: one row per block of the last frame, coloured by activity.
class TimeLine {
 public:
  // Draws it in the rest of the window. Shows a message until a frame has been recorded (RenderOptions::trace). Sets
  // state.moment_us.
  void draw(ViewerState& state);

 private:
  void draw_legend(const Statistics& statistics) const;
  void draw_block(ImVec2 top_left, float width, float height, int block) const;
  void move_range(double across, float width);

  BlockTimeline timeline_;
  uint64_t number_ = 0;  // number of the frame that it shows
  TimeRange range_;
};

}  // namespace brokkr::viewer
