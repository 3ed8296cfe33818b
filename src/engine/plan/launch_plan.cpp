#include "plan/launch_plan.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "geometry/triangle_store.h"
#include "plan/prepare.h"
#include "raster/raster_tables.h"
#include "raster/shading_traits.h"
#include "schedule/schedule_tables.h"

namespace brokkr {
namespace {

// An upper bound on the (triangle, bin) pairs that one task of several batches tests. An aborted launch waits for the
// tasks in progress, and one core takes about 30 ms to test a million pairs. With half the bound, small bins need more
// shared counters.
constexpr uint64_t kMaxTaskPairs = uint64_t(1) << 20;

// The number of bins of the target with the most bins.
uint64_t max_bins(const TargetPlan& targets) {
  uint64_t bins = 1;
  for (const TargetRecord& target : targets.targets) bins = std::max(bins, uint64_t(target.bins_x) * target.bins_y);
  return bins;
}

// Each batch that has started may fill store blocks and never waits for one. The store's size does not depend on
// clipping, so a moving camera never reallocates the store.
TaskSizes task_sizes(const DrawPlan& draws, const TargetPlan& targets, int store_blocks, const LaunchShape& shape) {
  const int rasterizers = targets.rasterizers;
  TaskSizes s;
  const uint32_t batches = draws.batches, workers = uint32_t(shape.blocks * shape.warps);
  const uint32_t chunks = (draws.batch_triangles + kBatchTriangles - 1) / kBatchTriangles;
  const uint32_t clipped_blocks = uint32_t(kBlocksPerBatch) * chunks;
  const uint32_t batch_blocks = draws.inside ? chunks : clipped_blocks;
  // Chooses the size of the triangle store. It should be large enough that regions are visited seldom, within the limit
  // on queues and pending lists (20 bytes per block and rasterizer). It must hold the most blocks that one task may
  // fill.
  uint32_t blocks = uint32_t(store_blocks);
  if (store_blocks == 0) {
    const uint64_t affordable =
        std::bit_floor(std::max<uint64_t>(16, shape.memory_limit / (20u * uint64_t(rasterizers))));
    const uint32_t needed =
        std::max(kLeastStoreBlocks, std::bit_ceil(std::min<uint32_t>(batches, 1u << 20) * 2 * chunks));
    blocks = uint32_t(std::min<uint64_t>(kMaxStoreBlocks, affordable));
    blocks = std::min(std::max(blocks, std::bit_ceil(2 * clipped_blocks * workers)), needed);
  }
  s.store_blocks = std::max(blocks, clipped_blocks + 1);
  const uint32_t tasks_per_warp = shape.width == 32 ? kTasksPerWideWarp : kTasksPerWarp;
  s.task_batches = std::clamp<uint32_t>(batches / (workers * tasks_per_warp), 1, kMaxTaskBatches);
  // Each warp of a block must find the blocks for its task in the stock of its block.
  const auto fit = [&] {
    const uint32_t worker_blocks = s.task_batches * batch_blocks * workers;
    return worker_blocks * 2 <= s.store_blocks && worker_blocks <= kStockCapacity * uint32_t(shape.blocks);
  };
  while (s.task_batches > 1 && !fit()) --s.task_batches;
  const uint64_t pair_limit = kMaxTaskPairs / (uint64_t(draws.batch_triangles) * max_bins(targets));
  s.task_batches = uint32_t(std::clamp<uint64_t>(pair_limit, 1, s.task_batches));
  s.tasks = (batches + s.task_batches - 1) / s.task_batches;
  s.blocks_per_task = s.task_batches * batch_blocks;
  // After everything that started is drawn, the blocks that one task needs lie outside all stocks.
  const uint32_t blocks_of_warps = uint32_t(shape.blocks), task_blocks = std::max(s.blocks_per_task, clipped_blocks);
  s.stock_keep = std::min(kMaxStock, (s.store_blocks - task_blocks) / (kStockShare * blocks_of_warps));
  s.stock_capacity = std::min(kStockCapacity, std::max(2 * s.stock_keep, uint32_t(shape.warps) * task_blocks));
  s.window = std::bit_ceil(std::max<uint32_t>(kLeastWindow, kWindowRounds * workers * uint32_t(shape.warps)));
  return s;
}

// Returns the order-free phase with the most batches, in which small triangles are drawn directly
// (RasterTables::direct_phase). `automatic` chooses this path on machines of 32 lanes if the key plane takes no more
// memory than the queues may; docs/research/gpu.md and docs/research/performance.md have the measurements. Ranks that
// share bins do not use it, because only queues consult the pattern that separates one rank's bins from the others'.
// Frames with several samples a pixel do not use it either, because their keys are found one sample at a time.
uint32_t find_direct_phase(const LaunchPlan& plan, SmallTriangles small, const LaunchShape& shape) {
  const bool pays = shape.width == 32 && plan.targets->samples * sizeof(uint64_t) <= shape.memory_limit;
  if (plan.targets->is_shared || plan.targets->is_sampled) return kNoPhase;
  if (small == SmallTriangles::queue || (small == SmallTriangles::automatic && !pays)) return kNoPhase;
  uint32_t found = kNoPhase, max_batches = 0, begin = 0;
  for (const PhaseRecord& phase : plan.draws->phases) {
    const uint32_t batches = phase.end_batch - begin;
    begin = phase.end_batch;
    if (phase.kind != PhaseKind::order_free || batches <= max_batches) continue;
    max_batches = batches;
    found = uint32_t(&phase - plan.draws->phases.data());
  }
  return found;
}

ProgramSizes larger(const ProgramSizes& a, const ProgramSizes& b) {
  return {std::max(a.registers, b.registers), std::max(a.masks, b.masks), std::max(a.outputs, b.outputs)};
}

MemoryShape memory_shape(const PreparedFrame::Impl& frame, const LaunchPlan& plan, const PlanKey& key) {
  MemoryShape m;
  m.blocks = uint32_t(key.shape.blocks);
  m.warps = uint32_t(key.shape.warps);
  m.shared_bytes = key.shape.shared_bytes;
  m.rasterizers = uint32_t(plan.targets->rasterizers);
  m.regions = plan.targets->regions;
  m.samples = plan.targets->samples;
  m.half = plan.targets->any_half;
  m.sampled = plan.targets->is_sampled;
  m.more_words = plan.targets->more_words;
  m.direct = plan.direct_phase != kNoPhase;
  m.store_blocks = plan.sizes.store_blocks;
  m.queue_capacity = std::max<uint32_t>(2, std::bit_ceil(plan.sizes.store_blocks));
  m.window = plan.sizes.window;
  m.blits = plan.draws->blits;
  m.ids = key.ids;
  m.stamps = key.stamps;
  m.overdraw = key.overdraw;
  m.trace = key.trace;
  if (key.draws.programs && frame.programs.any()) m.programs = frame.programs.sizes();
  if (key.draws.vertices) {
    m.programs = larger(m.programs.value_or(ProgramSizes{}), frame.vertices.sizes());
    m.position_words = frame.positions().size() * 4;
    if (m.programs && key.draws.programs) m.varying_words = frame.programs.counts(*frame.frame).varyings;
  }
  return m;
}

}  // namespace

PlanKey plan_key(const PreparedFrame::Impl& frame, const RenderOptions& o, const LaunchShape& shape) {
  PlanKey k;
  k.overdraw = shading_traits(o.shading).overdraw;
  k.ids = o.keep_ids || o.keep_stamps;
  k.stamps = o.keep_stamps;
  k.trace = o.trace;
  k.store_blocks = o.store_blocks;
  k.small_triangles = o.small_triangles;
  k.shape = shape;
  k.draws.order = k.overdraw ? OrderMode::strict : o.order;
  k.draws.materials = shading_traits(o.shading).material;
  k.draws.programs = o.shading == Shading::program;
  k.draws.reuse = is_planned(o.reuse) ? o.reuse : ReuseMode::none;
  k.draws.vertices = o.vertex_stage == VertexShading::pipeline && frame.vertices.any();
  k.draws.inside = frame.inside && !k.draws.vertices;  // the host need not have shaded these uniforms' vertices
  if (k.draws.vertices && frame.part.is_some())
    throw std::invalid_argument(
        "vertex-stage: ranks project vertices before a launch, so vertex programs run before it; choose prepare");
  const uint32_t commands = uint32_t(frame.frame->commands.size());
  k.draws.command_limit = std::min(o.command_limit.value_or(commands), commands);
  k.draws.first_command = frame.part.first_command;
  k.draws.whole_planes = frame.part.owned != nullptr || frame.part.stays;
  if (o.samples > 1 && frame.part.is_some())
    throw std::invalid_argument("samples: ranks draw one sample a pixel; leave the number out");
  k.draws.samples = o.samples;
  k.draws.slice = frame.slice.views;
  k.targets = {o.pattern,         o.rasterizers,    o.bin,           o.samples, o.shown_sample,
               frame.slice.views, k.draws.programs, frame.part.owned};
  if (has_ranks(o.policy)) k.ranks.policy = o.policy;
  if (o.policy == Policy::foveated) k.ranks.fixation = o.fixation;
  if (o.policy == Policy::priority) k.ranks.view_priorities = o.view_priorities;
  if (o.policy == Policy::edf) k.ranks.view_deadlines_ms = o.view_deadlines_ms;
  return k;
}

PlanTables host_tables(const PreparedFrame::Impl& frame, const LaunchPlan& plan) {
  const auto table = [](const std::vector<uint32_t>& v) { return v.empty() ? nullptr : v.data(); };
  const TargetPlan& t = *plan.targets;
  return {frame.tables(*plan.draws),
          frame.programs.tables(*frame.frame),
          frame.vertices.tables(*frame.frame),
          t.targets.data(),
          t.bin_owner.data(),
          t.first_region_of_owner.data(),
          t.regions_by_owner.data(),
          table(plan.ranks),
          table(plan.task_order)};
}

const std::shared_ptr<const LaunchPlan>& PlanCache::get(const PreparedFrame::Impl& frame, const PlanKey& key,
                                                        const Watch& watch) {
  return plans.get(key, [&] {
    LaunchPlan plan;
    plan.shape = key.shape;
    plan.draws = draws.get(key.draws, [&] {
      frame.shape.require_commands(*frame.frame);
      std::shared_ptr<const ReusePlan> batches;
      if (is_planned(key.draws.reuse)) {
        batches = reuse.get(key.draws.reuse, [&] { return plan_reuse(frame, key.draws.reuse, watch); });
      }
      return plan_draws(frame, key.draws, std::move(batches));
    });
    plan.targets = targets.get(key.targets, [&] { return plan_targets(*frame.frame, key.targets); });
    plan.sizes = task_sizes(*plan.draws, *plan.targets, key.store_blocks, key.shape);
    plan.direct_phase = find_direct_phase(plan, key.small_triangles, key.shape);
    plan.memory = memory_shape(frame, plan, key);
    order_views(frame, key.ranks, plan);
    return plan;
  });
}

uint32_t features_of(const LaunchPlan& plan, const RenderOptions& options) {
  const DrawPlan& draws = *plan.draws;
  uint32_t features = 0;
  if (draws.ordered_phases > 0) features |= kFeatureOrdered;
  if (draws.blits > 0) features |= kFeatureBlits;
  if (draws.reuse != nullptr) features |= kFeaturePlanned;
  if (draws.vertices) features |= kFeatureVertexPrograms | kFeatureReuse;
  if (options.reuse == ReuseMode::warp || options.vertex_work != 0) features |= kFeatureReuse;
  if (options.policy != Policy::fill_level) features |= kFeaturePolicies;
  if (options.keep_stamps) features |= kFeatureStamps;
  if (plan.targets->is_sampled) features |= kFeatureSamples;
  switch (options.shading) {
    case Shading::flat:
    case Shading::material: break;
    case Shading::program: features |= kFeaturePrograms; break;
    default: features |= kFeatureShadings;
  }
  const auto of_programs = [](const PhaseRecord& phase) {
    return phase.kind == PhaseKind::load || phase.kind == PhaseKind::publish || phase.kind == PhaseKind::mips;
  };
  if (std::any_of(draws.phases.begin(), draws.phases.end(), of_programs)) features |= kFeaturePrograms;
  return features;
}

}  // namespace brokkr
