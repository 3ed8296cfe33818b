// Everything that follows from a frame, the options and the machine. It is computed once, and the prepared frame keeps
// it (PlanCache).
//
// A plan has three independent parts: the draws of each phase, the owner of each region, and the order of work. Each
// part is computed only from the frame and the part's key, so nothing outside the key can change it. Plans and parts
// are immutable: equal addresses mean equal contents.
#pragma once

#include <algorithm>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batch/predict.h"
#include "brokkr/options.h"
#include "brokkr/renderer.h"
#include "frame/frame_tables.h"
#include "geometry/features.h"
#include "plan/part.h"
#include "shader/program_tables.h"
#include "target/target_tables.h"

namespace brokkr {

// The machine that a launch runs on.
struct LaunchShape {
  int blocks = 1, warps = 1, width = 1;     // warps per block, lanes per warp
  size_t shared_bytes = 0;                  // per block, if block storage lies in the launch's memory
  size_t memory_limit = size_t(512) << 20;  // for queues and pending lists
  bool operator==(const LaunchShape&) const = default;
};

// The batches that a reuse strategy forms over a whole frame, computed before rendering (batch/predict.h).
//
// Each batch of the model becomes one batch of the pipeline, whatever its size, so that the vertex shader runs as often
// as predicted. A warp processes a batch in chunks: a chunk ends before its 33rd triangle or its 33rd vertex shader
// run. Results stay in slots while later chunks of the batch use them. No model needs more than 128 slots: Intel's
// model remembers 128 vertices, a block has 128, and AMD's keeps 15 beside the chunk's own 32.
struct ReusePlan {
  std::vector<PlannedBatch> batches;
  std::vector<ReuseChunk> chunks;
  std::vector<uint32_t> corners, shade_vertex, shade_slot;
  std::vector<uint32_t> draw_end;  // per draw record: the first batch after it
  uint32_t max_triangles = 1;      // upper bound per batch
};
// Returns true if the strategy's batches are computed before rendering.
bool is_planned(ReuseMode mode);
// `mode` must be a planned one (is_planned). Throws what `watch` throws.
ReusePlan plan_reuse(const PreparedFrame::Impl& frame, ReuseMode mode, const Watch& watch = {});

// Draws and phases (phases.cpp).
struct DrawKey {
  OrderMode order = OrderMode::automatic;
  bool inside = false;                // no triangle needs clipping
  bool materials = true;              // the shader reads materials and may discard fragments
  bool programs = false;              // draws are shaded by their programs
  bool vertices = false;              // the geometry stage runs vertex programs
  ReuseMode reuse = ReuseMode::none;  // the strategy, if its batches are computed before rendering; otherwise none
  uint32_t command_limit = 0;         // number of the frame's commands that run
  // commands before this one have already run, and only draws follow in the frame (part.h)
  uint32_t first_command = 0;
  int samples = 1;     // RenderOptions::samples
  uint32_t slice = 0;  // ViewSlice::views
  // clears are not deferred, because other ranks read the planes or continue with them
  bool whole_planes = false;
  bool operator==(const DrawKey&) const = default;
};
struct DrawPlan {
  std::shared_ptr<const ReusePlan> reuse;  // null: batches are formed while rendering
  std::vector<PhaseRecord> phases;
  std::vector<DrawRecord> draws;  // draws of the commands that run, with their phase filled in
  uint32_t batches = 0, batch_triangles = kBatchTriangles;
  uint32_t ordered_phases = 0, blits = 0;
  bool inside = false, programs = false, vertices = false;  // as in DrawKey
  bool in_one = true;  // no phase waits for only some of the batches: at most one phase draws, in any order
};
DrawPlan plan_draws(const PreparedFrame::Impl& frame, const DrawKey& key, std::shared_ptr<const ReusePlan> reuse);

// The pattern, and the regions that it assigns to each rasterizer (target_plan.cpp).
struct TargetKey {
  PatternChoice pattern;
  int rasterizers = 0, bin = 64;
  int samples = 1, shown_sample = -1;      // as in RenderOptions
  uint32_t slice = 0;                      // ViewSlice::views
  bool programs = false;                   // targets as they were captured: all their colours, in their formats
  std::shared_ptr<const OwnedBins> owned;  // null: all bins are drawn
  bool operator==(const TargetKey&) const = default;
};
struct TargetPlan {
  int rasterizers = 1, bin = 64, region = 64;  // edges in pixels
  int drawing = 1;                             // rasterizers to which the pattern assigns bins
  int shown_sample = -1;                       // as in RenderOptions
  bool is_shared = false;                      // other ranks draw some of the bins
  std::string pattern;                         // the pattern's name
  std::vector<TargetRecord> targets;
  std::vector<uint32_t> bin_owner;
  std::vector<uint32_t> first_region_of_owner;  // [rasterizers + 1], into regions_by_owner
  std::vector<RegionRecord> regions_by_owner;
  uint64_t regions = 0, samples = 0;
  uint64_t more_words = 0;                    // size of TargetTables::more_colors in words
  bool any_half = false, is_sampled = false;  // is_sampled: a target has several samples a pixel
};
// The number of samples in each pixel of a target; `wanted`: RenderOptions::samples.
uint32_t samples_of(const Target& target, int wanted);
// The storage format of a target's first colour.
ColorFormat stored_format(const Target& target, bool programs);
// Returns true if programs write its first colour as half floats although its format's values lie in 0..1.
bool is_bounded_half(const Target& target);
// The native encoding in which the first colour is also stored (kExactPlane) if stored_format cannot represent it
// exactly; otherwise empty.
std::optional<TexelEncoding> exact_encoding(const Target& target);
// Throws std::invalid_argument if the pattern does not fit, and std::runtime_error if a target is too large.
TargetPlan plan_targets(const Frame& frame, const TargetKey& key);

// The order of rasterizers and tasks, for the policies that have ranks (view_order.cpp).
struct RankKey {
  std::optional<Policy> policy;  // a policy that has ranks, or none
  std::optional<Point> fixation;
  std::vector<uint32_t> view_priorities;
  std::vector<double> view_deadlines_ms;
  bool operator==(const RankKey&) const = default;
};

// Sizes of tasks and of the triangle store. A task processes consecutive batches and puts their triangles into the
// store.
struct TaskSizes {
  uint32_t tasks = 0, task_batches = 1;  // a task is task_batches consecutive batches
  uint32_t blocks_per_task = 0;          // upper bound on the triangle blocks that one task fills
  uint32_t window = 0;                   // tasks that may be in progress beyond the watermark
  uint32_t store_blocks = 0;             // blocks in the triangle store
  // Capacity of a block's stock of free triangle blocks, and the number of blocks that the stock may keep
  // (schedule/stock.h).
  uint32_t stock_capacity = 0, stock_keep = 0;
};

// The values that determine the sizes of a launch's memory.
struct MemoryShape {
  uint32_t blocks = 0, warps = 0, rasterizers = 0, store_blocks = 0, queue_capacity = 0, window = 0, blits = 0;
  uint64_t regions = 0, samples = 0, more_words = 0;
  uint64_t position_words = 0, varying_words = 0;  // that vertex programs write during the launch
  size_t shared_bytes = 0;                         // per block
  bool half = false, direct = false, sampled = false, ids = false, stamps = false, overdraw = false, trace = false;
  std::optional<ProgramSizes> programs;
  bool operator==(const MemoryShape&) const = default;
};

struct PlanKey {
  DrawKey draws;
  TargetKey targets;
  RankKey ranks;
  SmallTriangles small_triangles = SmallTriangles::queue;
  int store_blocks = 0;
  bool ids = false, stamps = false, overdraw = false, trace = false;
  LaunchShape shape;
  bool operator==(const PlanKey&) const = default;
};
// The options and properties of the machine that determine a plan of this frame.
PlanKey plan_key(const PreparedFrame::Impl& frame, const RenderOptions& options, const LaunchShape& shape);

struct LaunchPlan {
  std::shared_ptr<const DrawPlan> draws;
  std::shared_ptr<const TargetPlan> targets;
  LaunchShape shape;
  TaskSizes sizes;
  MemoryShape memory;
  uint32_t direct_phase = 0;  // RasterTables::direct_phase
  // Empty for policies without ranks. A rasterizer has the least rank of its regions; the rank of a region is
  // - foveated: its squared distance from the fixation point, in pixels of the main target; 0 in other targets, because
  // the main target reads them;
  // - priority: 2^32 - 1 minus the highest priority of the views drawn there;
  // - edf: the next deadline of the views drawn there, in microseconds.
  std::vector<uint32_t> ranks;
  // The task of each turn; empty: submission order. Tasks of one order-free phase are sorted by the rank of their
  // views. This does not change the picture.
  std::vector<uint32_t> task_order;
};
// The tables of a prepared frame and its plan, at addresses that the machine can read.
struct PlanTables {
  FrameTables frame;
  ProgramTables programs;
  VertexTables vertices;
  TablePointer<const TargetRecord> targets;
  TablePointer<const uint32_t> bin_owner, first_region_of_owner;
  TablePointer<const RegionRecord> regions_by_owner;
  TablePointer<const uint32_t> ranks, task_order;  // null: none
};
PlanTables host_tables(const PreparedFrame::Impl& frame, const LaunchPlan& plan);

// Fills ranks and task_order from the rest of the plan. Throws std::invalid_argument for options out of range.
void order_views(const PreparedFrame::Impl& frame, const RankKey& key, LaunchPlan& plan);

// A least-recently-used cache of values by key.
template <class Key, class Value>
class Kept {
 public:
  using Pointer = std::shared_ptr<const Value>;

  // Returns the value for `key` from the cache, or makes it with make().
  template <class Make>
  const Pointer& get(const Key& key, Make&& make) {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.key == key; });
    if (found != entries_.end()) {
      entries_.splice(entries_.begin(), entries_, found);
    } else {
      entries_.push_front({key, std::make_shared<const Value>(make())});
      if (entries_.size() > kMaxKept) entries_.pop_back();
    }
    return latest();
  }
  const Pointer& latest() const { return entries_.front().value; }

 private:
  // A viewer compares settings, and an experiment compares reuse strategies: 8 is enough for both.
  static constexpr size_t kMaxKept = 8;
  struct Entry {
    Key key;
    Pointer value;
  };
  std::list<Entry> entries_;  // most recently used first
};

// The plans of one prepared frame.
struct PlanCache {
  Kept<PlanKey, LaunchPlan> plans;
  Kept<DrawKey, DrawPlan> draws;
  Kept<TargetKey, TargetPlan> targets;
  Kept<ReuseMode, ReusePlan> reuse;

  // Calls `watch` while it computes the batches of a planned reuse strategy, which takes long. If `watch` throws, the
  // cache is unchanged.
  const std::shared_ptr<const LaunchPlan>& get(const PreparedFrame::Impl& frame, const PlanKey& key,
                                               const Watch& watch = {});
};

// Returns the features (Feature) that a kernel needs to draw a frame with this plan and these options.
uint32_t features_of(const LaunchPlan& plan, const RenderOptions& options);

}  // namespace brokkr
