// What a launch needs in memory, from the options and the frame: sizes and host-made tables that every machine shares.
#pragma once

#include <string>
#include <vector>

#include "pipeline/launch_data.h"
#include "pipeline/prepare.h"

namespace brokkr {

// The machine that a launch runs on.
struct LaunchShape {
  int blocks = 1, warps = 1, width = 1;     // warps per block, lanes per warp
  size_t memory_limit = size_t(512) << 20;  // of queues and pending lists
};

struct LaunchLayout {
  int rasterizers = 1, bin = 64, region = 64;
  std::string pattern;  // its name
  uint32_t store_blocks = 0, queue_capacity = 0, sort_capacity = 1;
  uint32_t task_batches = 1, tasks = 0, window = 0;
  uint32_t batch_blocks = 0;  // triangle blocks that one batch may fill
  std::vector<TargetRecord> targets;
  std::vector<uint32_t> bin_owner;
  std::vector<uint32_t> first_own_region;  // [rasterizers + 1]; behind it, what pipeline/view_order.h says
  std::vector<RegionRecord> own_regions;
  uint64_t regions = 0, samples = 0;
  bool any_half = false;
  bool reordered = false;  // tasks are taken up in the order that view_order.h appended

  bool same_memory(const LaunchLayout& o) const;
};

// `batches` of at most `batch_triangles` triangles each. Throws std::invalid_argument for options out of range.
LaunchLayout make_layout(const Frame& frame, uint32_t batches, const RenderOptions& options, const LaunchShape& shape,
                         uint32_t batch_triangles = kBatchTriangles);

}  // namespace brokkr
