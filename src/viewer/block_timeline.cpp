#include "viewer/block_timeline.h"

#include <algorithm>

namespace brokkr::viewer {

BlockTimeline make_timeline(const Statistics& statistics, int columns) {
  BlockTimeline t;
  t.blocks = int(statistics.block_times.size());
  t.columns = columns;
  for (const TraceEvent& event : statistics.trace) t.end_us = std::max(t.end_us, event.end_us);
  t.share.resize(size_t(t.blocks) * size_t(columns));
  if (t.end_us <= 0) return t;
  const double width = t.end_us / columns;
  for (const TraceEvent& event : statistics.trace) {
    if (int(event.block) >= t.blocks || event.stage >= size_t(Stage::count)) continue;
    const int first = std::clamp(int(event.begin_us / width), 0, columns - 1);
    const int last = std::clamp(int(event.end_us / width), 0, columns - 1);
    for (int c = first; c <= last; ++c) {
      const double begin = std::max(event.begin_us, c * width), end = std::min(event.end_us, (c + 1) * width);
      if (end > begin)
        t.share[size_t(event.block) * size_t(columns) + size_t(c)][event.stage] += float((end - begin) / width);
    }
  }
  return t;
}

BucketLevels bucket_levels(const Statistics& statistics, double at_us) {
  BucketLevels levels;
  levels.left_us.resize(size_t(statistics.rasterizers));
  levels.whole_us.resize(size_t(statistics.rasterizers));
  for (const TraceEvent& event : statistics.trace) {
    if (Stage(event.stage) == Stage::geometry) {
      levels.geometry_tasks++;
      levels.geometry_left += event.begin_us > at_us;
    } else if (Stage(event.stage) == Stage::rasterize && event.argument < levels.left_us.size()) {
      levels.whole_us[event.argument] += event.end_us - event.begin_us;
      levels.left_us[event.argument] += std::max(0.0, event.end_us - std::max(event.begin_us, at_us));
    }
  }
  return levels;
}

}  // namespace brokkr::viewer
