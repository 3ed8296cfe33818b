// The kernel's arguments: everything that one launch needs, as plain data and pointers.
#pragma once

#include "brokkr/statistics.h"
#include "geometry/counter_names.h"
#include "machine/table_pointer.h"
#include "raster/raster_tables.h"
#include "schedule/schedule_tables.h"

namespace brokkr {

struct TraceRecord {
  uint32_t stage, argument;
  uint64_t begin_ns, end_ns;
};

inline constexpr uint32_t kTraceCapacity = 1u << 16;  // events per block

// Words per warp: a mask per rasterizer, and a list of rasterizers with room for a whole warp to write beyond its end.
constexpr size_t distribution_words(uint32_t rasterizers) { return 2 * size_t(rasterizers) + 32; }

struct LaunchData {
  RasterTables raster;
  ScheduleTables schedule;
  TablePointer<uint32_t> distribution_scratch;  // distribution_words(rasterizers) per warp
  bool reuse_transforms, reuse_programs, reuse_all;
  VertexTables vertices;
  TablePointer<uint64_t> counters;     // kCounters
  TablePointer<uint64_t> stage_ns;     // per block, one per Stage
  TablePointer<TraceRecord> trace;     // per block kTraceCapacity; null: no trace
  TablePointer<uint32_t> trace_count;  // number of events per block
  bool thread_time;                    // times are processor times of the block's thread (CPU)
};

}  // namespace brokkr
