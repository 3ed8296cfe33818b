// What each block did in a frame, from the trace (thesis Fig. 7.13).
#pragma once

#include <array>
#include <vector>

#include "brokkr/statistics.h"

namespace brokkr::viewer {

// Shares of the stages in each of `columns` slices of the frame's time: share[block * columns + column][stage] is 0..1,
// and what is missing from 1 was not recorded.
struct BlockTimeline {
  int blocks = 0, columns = 0;
  double end_us = 0;
  std::vector<std::array<float, size_t(Stage::count)>> share;
};

BlockTimeline make_timeline(const Statistics& statistics, int columns);

// How full the scheduler's buckets were at one moment of a frame: the work that was done on their tasks afterwards.
struct BucketLevels {
  uint64_t geometry_tasks = 0, geometry_left = 0;  // of the frame; not begun yet
  std::vector<double> left_us;                     // per rasterizer: time that blocks were still to spend on it
  std::vector<double> whole_us;                    // the same at the frame's begin
};

BucketLevels bucket_levels(const Statistics& statistics, double at_us);

}  // namespace brokkr::viewer
