// What each block did in a frame, from the trace [Kerbl18, Fig. 7.13].
#pragma once

#include <array>
#include <vector>

#include "brokkr/statistics.h"

namespace brokkr::viewer {

// Shares of the stages in each of `columns` slices of the frame's time: share[block * columns + column][stage] is 0..1,
// and the rest up to 1 was not recorded.
struct BlockTimeline {
  int blocks = 0, columns = 0;
  double end_us = 0;
  std::vector<std::array<float, size_t(Stage::count)>> share;
};

BlockTimeline make_timeline(const Statistics& statistics, int columns);

// How full the scheduler's buckets were at one moment of a frame, measured by the work that was done on their tasks
// after it.
struct BucketLevels {
  uint64_t geometry_tasks = 0, geometry_left = 0;  // tasks of the frame, and those that had not begun
  std::vector<double> left_us;                     // per rasterizer: the time that blocks spent on it after that moment
  std::vector<double> whole_us;  // per rasterizer: the time that blocks spent on it in the whole frame
};

BucketLevels bucket_levels(const Statistics& statistics, double at_us);

}  // namespace brokkr::viewer
