// All that follows from a frame, the options and the machine, made once and kept by the prepared frame (PlanCache).
//
// A plan has parts that stand alone: which draws come in which phase, which rasterizer owns which region, and what
// comes first. Each part is made from the frame and the part's key, so that what is not in the key cannot change the
// part. Plans and parts never change: two are the same where their addresses are.
#pragma once

#include <algorithm>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batch/predict.h"
#include "brokkr/renderer.h"
#include "frame/frame_tables.h"
#include "plan/part.h"
#include "shader/program_tables.h"
#include "target/target_tables.h"

namespace brokkr {

// The machine that a launch runs on.
struct LaunchShape {
  int blocks = 1, warps = 1, width = 1;     // warps per block, lanes per warp
  size_t shared_bytes = 0;                  // per block, where block storage lies in the launch's memory
  size_t memory_limit = size_t(512) << 20;  // of queues and pending lists
  bool operator==(const LaunchShape&) const = default;
};

// Batches of a whole frame as a reuse strategy forms them, found before rendering (batch/predict.h).
//
// A batch of the model becomes one batch of the pipeline, whatever its size, so that the vertex shader runs as often as
// predicted. It is worked off in chunks that a warp can hold: a chunk ends before its 33rd triangle or its 33rd vertex
// shader run. Results stay in slots for as long as a later chunk of the batch uses them; no model needs more than 128
// slots (Intel's remembers 128 vertices, AMD's 15 beside the chunk's own 32).
struct ReusePlan {
  std::vector<PlannedBatch> batches;
  std::vector<ReuseChunk> chunks;
  std::vector<uint32_t> corners, shade_vertex, shade_slot;
  std::vector<uint32_t> draw_end;  // per draw record: the first batch after it
  uint32_t max_triangles = 1;      // of a batch
};
// Whether the strategy's batches are found before rendering.
bool is_planned(ReuseMode mode);
// `mode` is one that is planned. Throws what `watch` throws.
ReusePlan plan_reuse(const PreparedFrame::Impl& frame, ReuseMode mode, const Watch& watch = {});

// Draws and phases (phases.cpp).
struct DrawKey {
  OrderMode order = OrderMode::automatic;
  bool inside = false;                // no triangle needs clipping
  bool materials = true;              // the shader looks at materials and may discard fragments
  bool programs = false;              // draws are shown by their programs
  ReuseMode reuse = ReuseMode::none;  // of batches that are found before rendering; else none
  uint32_t command_limit = 0;         // commands of the frame that run
  uint32_t first_command = 0;         // those before it have run, and the frame has only draws after it (part.h)
  bool whole_planes = false;          // no clear waits at the end: others take what planes hold, or go on with it
  bool operator==(const DrawKey&) const = default;
};
struct DrawPlan {
  std::shared_ptr<const ReusePlan> reuse;  // null: batches are formed while rendering
  std::vector<PhaseRecord> phases;
  std::vector<DrawRecord> draws;  // of the commands that run, their phase filled in
  uint32_t batches = 0, batch_triangles = kBatchTriangles;
  uint32_t ordered_phases = 0, blits = 0;
  bool inside = false, programs = false;  // as of DrawKey
  bool in_one = true;                     // no phase waits for a part of the batches: at most one draws, in any order
};
DrawPlan plan_draws(const PreparedFrame::Impl& frame, const DrawKey& key, std::shared_ptr<const ReusePlan> reuse);

// The pattern, and the regions that it gives to each rasterizer (target_plan.cpp).
struct TargetKey {
  PatternChoice pattern;
  int rasterizers = 0, bin = 64;
  bool programs = false;                   // targets are as captured: with all their colours, in their formats
  std::shared_ptr<const OwnedBins> owned;  // null: triangles are drawn everywhere
  bool operator==(const TargetKey&) const = default;
};
struct TargetPlan {
  int rasterizers = 1, bin = 64, region = 64;  // edges in pixels
  int drawing = 1;                             // of the rasterizers, those that the pattern gives bins to
  bool is_shared = false;                      // other ranks draw some of the bins
  std::string pattern;                         // its name
  std::vector<TargetRecord> targets;
  std::vector<uint32_t> bin_owner;
  std::vector<uint32_t> first_own_region;  // [rasterizers + 1], into own_regions
  std::vector<RegionRecord> own_regions;
  uint64_t regions = 0, samples = 0;
  uint64_t more_words = 0;  // of TargetTables::more_colors
  bool any_half = false;
};
// What the first colour of a target is stored as.
ColorFormat stored_format(const Target& target, bool programs);
// Whether programs draw to its first colour as halves, although its numbers are from 0 to 1.
bool is_bounded_half(const Target& target);
// How its first colour is stored once more (kExactPlane), where stored_format loses something of it.
std::optional<TexelEncoding> exact_encoding(const Target& target);
// Throws std::invalid_argument for a pattern that does not fit and std::runtime_error for targets too large.
TargetPlan plan_targets(const Frame& frame, const TargetKey& key);

// The order of rasterizers and tasks, for the policies that have ranks (view_order.cpp).
struct RankKey {
  std::optional<Policy> policy;  // one that has ranks, or none
  std::optional<Point> fixation;
  std::vector<uint32_t> view_priorities;
  std::vector<double> view_deadlines_ms;
  bool operator==(const RankKey&) const = default;
};

// Batches are taken up in tasks, whose triangles go through the store.
struct TaskSizes {
  uint32_t tasks = 0, task_batches = 1;  // a task is task_batches consecutive batches
  uint32_t blocks_per_task = 0;          // most triangle blocks that a task can fill
  uint32_t window = 0;                   // tasks that may be under way beyond the watermark
  uint32_t store_blocks = 0;             // of the triangle store
  // Free blocks that a block of warps can have in stock, and may keep (schedule/stock.h).
  uint32_t stock_capacity = 0, stock_keep = 0;
};

// The values that determine the sizes of a launch's memory.
struct MemoryShape {
  uint32_t blocks = 0, warps = 0, rasterizers = 0, store_blocks = 0, queue_capacity = 0, window = 0, blits = 0;
  uint64_t regions = 0, samples = 0, more_words = 0;
  size_t shared_bytes = 0;  // per block
  bool half = false, direct = false, ids = false, stamps = false, overdraw = false, trace = false;
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
  // - foveated: its squared distance from the fixation point, in pixels of the main target; 0 in other targets,
  //   which feed it;
  // - priority: 2^32 - 1 less the highest priority of the views drawn there;
  // - edf: the next deadline of the views drawn there, in microseconds.
  std::vector<uint32_t> ranks;
  // The task of each turn; empty: in order. Tasks within one order-free phase are sorted by the rank of their views:
  // which comes first does not show in the picture.
  std::vector<uint32_t> task_order;
};
// Tables of a prepared frame and its plan, where the machine reads them.
struct PlanTables {
  FrameTables frame;
  ProgramTables programs;
  TablePointer<const TargetRecord> targets;
  TablePointer<const uint32_t> bin_owner, first_own_region;
  TablePointer<const RegionRecord> own_regions;
  TablePointer<const uint32_t> ranks, task_order;  // null: none
};
PlanTables host_tables(const PreparedFrame::Impl& frame, const LaunchPlan& plan);

// Fills ranks and task_order, from the rest of the plan. Throws std::invalid_argument for options out of range.
void order_views(const PreparedFrame::Impl& frame, const RankKey& key, LaunchPlan& plan);

// A cache of the values of the latest keys.
template <class Key, class Value>
class Kept {
 public:
  using Pointer = std::shared_ptr<const Value>;

  // The value of `key`, which is kept or made by make().
  template <class Make>
  const Pointer& get(const Key& key, Make&& make) {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.key == key; });
    if (found != entries_.end()) {
      entries_.splice(entries_.begin(), entries_, found);
    } else {
      entries_.push_front({key, std::make_shared<const Value>(make())});
      if (entries_.size() > kMost) entries_.pop_back();
    }
    return latest();
  }
  const Pointer& latest() const { return entries_.front().value; }

 private:
  static constexpr size_t kMost = 8;  // settings that a viewer compares, reuse strategies of an experiment
  struct Entry {
    Key key;
    Pointer value;
  };
  std::list<Entry> entries_;  // the latest first
};

// The plans of one prepared frame.
struct PlanCache {
  Kept<PlanKey, LaunchPlan> plans;
  Kept<DrawKey, DrawPlan> draws;
  Kept<TargetKey, TargetPlan> targets;
  Kept<ReuseMode, ReusePlan> reuse;

  // Of what takes long, the batches of a planned reuse strategy, `watch` hears. What it throws leaves the cache as it
  // was.
  const std::shared_ptr<const LaunchPlan>& get(const PreparedFrame::Impl& frame, const PlanKey& key,
                                               const Watch& watch = {});
};

}  // namespace brokkr
