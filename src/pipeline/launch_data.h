// Everything that one launch needs, as the kernel gets it: plain data and pointers.
#pragma once

#include "brokkr/statistics.h"
#include "geometry/counter_names.h"
#include "raster/raster_tables.h"
#include "schedule/schedule_tables.h"

namespace brokkr {

struct TraceRecord {
  uint32_t stage, argument;
  uint64_t begin_ns, end_ns;
};

struct LaunchData {
  RasterTables raster;
  ScheduleTables schedule;
  uint32_t* distribution_scratch;  // per warp: rasterizers, then rasterizers + 32
  bool reuse_transforms, reuse_all;
  uint64_t* counters;     // kCounters
  uint64_t* stage_ns;     // per block, one per Stage
  TraceRecord* trace;     // per block trace_capacity; null: no trace
  uint32_t* trace_count;  // per block
  uint32_t trace_capacity;
  bool thread_time;  // times in processor time of the block's thread (CPU)
};

}  // namespace brokkr
