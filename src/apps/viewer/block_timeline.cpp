#include "viewer/block_timeline.h"

#include <algorithm>

namespace brokkr::viewer {

TimeRange zoomed(const TimeRange& range, double at, double factor) {
  const double length = std::clamp(range.length() * factor, 1e-5, 1.0);
  const double begin = std::clamp(range.begin + at * (range.length() - length), 0.0, 1 - length);
  return {begin, begin + length};
}

TimeRange panned(const TimeRange& range, double share) {
  const double begin = std::clamp(range.begin + share * range.length(), 0.0, 1 - range.length());
  return {begin, begin + range.length()};
}

BlockTimeline make_timeline(const Statistics& statistics, int columns, const TimeRange& range) {
  BlockTimeline t;
  t.range = range;
  t.blocks = int(statistics.block_times.size());
  t.columns = columns;
  for (const TraceEvent& event : statistics.trace) t.end_us = std::max(t.end_us, event.end_us);
  t.share.resize(size_t(t.blocks) * size_t(columns));
  if (t.end_us <= 0) return t;
  const double from = range.begin * t.end_us, to = range.end * t.end_us, width = (to - from) / columns;
  for (const TraceEvent& event : statistics.trace) {
    if (int(event.block) >= t.blocks || event.stage >= size_t(Stage::count)) continue;
    if (event.end_us < from || event.begin_us > to) continue;
    const int first = int(std::clamp((event.begin_us - from) / width, 0.0, double(columns - 1)));
    const int last = int(std::clamp((event.end_us - from) / width, 0.0, double(columns - 1)));
    for (int c = first; c <= last; ++c) {
      const double begin = std::max(event.begin_us, from + c * width);
      const double end = std::min(event.end_us, from + (c + 1) * width);
      if (end > begin)
        t.share[size_t(event.block) * size_t(columns) + size_t(c)][event.stage] += float((end - begin) / width);
    }
  }
  return t;
}

const TraceEvent* event_at(const Statistics& statistics, uint32_t block, double at_us) {
  for (const TraceEvent& event : statistics.trace) {
    if (event.block == block && event.begin_us <= at_us && at_us < event.end_us) return &event;
  }
  return nullptr;
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
