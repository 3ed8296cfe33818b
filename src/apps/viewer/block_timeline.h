// The work of each block in a frame, from the trace [Kerbl18, Fig. 7.13].
#pragma once

#include <imgui.h>

#include <array>
#include <vector>

#include "brokkr/statistics.h"
#include "viewer/panel.h"

namespace brokkr::viewer {

// A part of a frame's time: 0 is its begin, 1 its end.
struct TimeRange {
  double begin = 0, end = 1;
  double length() const { return end - begin; }
  bool operator==(const TimeRange&) const = default;
};
// The range made shorter (`factor` below 1) or longer around its point `at`, 0..1 of the range, which keeps its place.
// It stays within the frame, and no shorter than a hundred-thousandth of it.
TimeRange zoomed(const TimeRange& range, double at, double factor);
// The range moved by a share of its own length, within the frame.
TimeRange panned(const TimeRange& range, double share);

// Shares of the stages in each of `columns` slices of a part of the frame: share[block * columns + column][stage] is
// 0..1, and the rest up to 1 was not recorded.
struct BlockTimeline {
  int blocks = 0, columns = 0;
  TimeRange range;
  double end_us = 0;  // of the whole frame
  std::vector<std::array<float, size_t(Stage::count)>> share;
};

BlockTimeline make_timeline(const Statistics& statistics, int columns, const TimeRange& range = {});

// The event of the block at that moment; null: none was recorded.
const TraceEvent* event_at(const Statistics& statistics, uint32_t block, double at_us);

// The fill of the scheduler's buckets at one moment of a frame, measured by the work that was done on their tasks after
// it.
struct BucketLevels {
  uint64_t geometry_tasks = 0, geometry_left = 0;  // tasks of the frame, and those that had not begun
  std::vector<double> left_us;                     // per rasterizer: the time that blocks spent on it after that moment
  std::vector<double> whole_us;  // per rasterizer: the time that blocks spent on it in the whole frame
};

BucketLevels bucket_levels(const Statistics& statistics, double at_us);

// The time line along the bottom of the window: a row for each block of the last frame, in the colours of what it did.
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
