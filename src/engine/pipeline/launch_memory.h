// The memory of launches of one shape, which is kept from frame to frame. `Buffer` is host memory
// (machine/zeroed_memory.h) or GPU memory. Its constructor is Buffer(bytes, what), its content is zero, and it has
// as<T>() and bytes().
#pragma once

#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pipeline/launch_data.h"
#include "plan/launch_plan.h"
#include "raster/program_memory.h"
#include "raster/shading_traits.h"

namespace brokkr {

// From this vertex shader cost on, in multiply-adds, a warp of 32 lanes shares vertices by default. It takes about 240
// instructions to find the first uses of a batch's vertices, and a batch of more than 32 vertices repeats everything
// that follows; a transformation takes 80 instructions (docs/research/gpu.md). On the CPU, it costs less to shade a
// vertex again; there, finding first uses costs more than the usual vertex program (docs/research/batches.md).
inline constexpr uint32_t kWorkWorthSharing = 256;

template <class Buffer>
struct LaunchMemory {
  MemoryShape shape;
  Buffer color, color_high, more_colors, depth, stencil, order, direct, visible_id, depth_id, overdraw, stamps,
      region_state, region_fragments;
  Buffer store, free_memory, queue_memory, rasterizers, bits, pending_block, pending_mask, sort, gates;
  Buffer control, task_done, distribution, counters, stage_ns, trace, trace_count, shared, programs, sampled;
  // The results of vertex programs. The machine first copies the frame's own tables there.
  Buffer vertex_positions, vertex_varyings;

  explicit LaunchMemory(const MemoryShape& s) : shape(s) {
    const size_t samples = size_t(s.samples), r = s.rasterizers, blocks = s.blocks;
    color = Buffer(samples * 4, "colour plane");
    color_high = Buffer(s.half ? samples * 4 : 0, "colour plane");
    more_colors = Buffer(size_t(s.more_words) * 4, "colour planes");
    depth = Buffer(samples * 4, "depth plane");
    stencil = Buffer(samples, "stencil plane");
    order = Buffer(samples * 4, "key plane");
    direct = Buffer(s.direct ? samples * 8 : 0, "key plane");
    visible_id = Buffer(s.ids ? samples * 4 : 0, "identifier plane");
    depth_id = Buffer(s.ids ? samples * 4 : 0, "identifier plane");
    overdraw = Buffer(s.overdraw ? samples * 4 : 0, "overdraw plane");
    stamps = Buffer(s.stamps ? (kStampHead + samples * kStampWords) * 4 : 0, "stamps");
    region_state = Buffer(size_t(s.regions) * sizeof(RegionState), "region states");
    region_fragments = Buffer(size_t(s.regions) * 8, "region counts");
    store = Buffer(size_t(s.store_blocks) * sizeof(TriangleBlock), "triangle store");
    free_memory = Buffer(QueueMemory<1>::bytes(1, s.queue_capacity), "queue of free blocks");
    queue_memory = Buffer(QueueMemory<2>::bytes(int(r), s.queue_capacity), "rasterizer queues");
    rasterizers = Buffer(r * sizeof(RasterizerState), "rasterizers");
    bits = Buffer(2 * RasterizerBitTables::words(r) * 4, "rasterizers");
    pending_block = Buffer(r * s.store_blocks * 4 + 256, "pending lists");
    pending_mask = Buffer(r * s.store_blocks * 4 + 256, "pending lists");
    sort = Buffer(blocks * s.queue_capacity * 8 + 256, "sort buffers");
    gates = Buffer(s.blits * sizeof(BlitGate), "blit gates");
    control = Buffer(sizeof(ScheduleControl), "schedule");
    task_done = Buffer(size_t(s.window) * 4, "task window");
    distribution = Buffer(blocks * s.warps * distribution_words(s.rasterizers) * 4, "distribution buffers");
    counters = Buffer(kCounters * 8, "counters");
    stage_ns = Buffer(blocks * size_t(Stage::count) * 8, "stage times");
    trace = Buffer(s.trace ? blocks * kTraceCapacity * sizeof(TraceRecord) : 0, "trace");
    trace_count = Buffer(blocks * 4, "trace");
    shared = Buffer(blocks * s.shared_bytes, "block storage");
    sampled = Buffer(s.sampled ? blocks * s.warps * kSampledTileBytes : 0, "tiles of samples");
    vertex_positions = Buffer(s.position_words * 4, "vertices");
    vertex_varyings = Buffer(s.varying_words * 4, "varyings");
    if (s.programs) programs = Buffer(blocks * s.warps * ProgramLayout(*s.programs).bytes, "memory of programs");
  }

  // Buffers that are zeroed before every launch. `goes_on`: the launch starts from the targets' existing content.
  std::vector<const Buffer*> zeroed(bool goes_on) const {
    std::vector<const Buffer*> list = {&region_fragments, &rasterizers, &bits,        &gates,  &control, &task_done,
                                       &counters,         &stage_ns,    &trace_count, &shared, &overdraw};
    if (!goes_on) list.push_back(&more_colors);
    return list;
  }

  // Takes over the targets' planes from memory of another shape. Throws std::logic_error if the targets differ.
  void take_planes(LaunchMemory& other) {
    for (auto plane :
         {&LaunchMemory::color, &LaunchMemory::color_high, &LaunchMemory::more_colors, &LaunchMemory::depth,
          &LaunchMemory::stencil, &LaunchMemory::visible_id, &LaunchMemory::depth_id}) {
      if ((this->*plane).bytes() != (other.*plane).bytes()) throw std::logic_error("targets of another shape");
      this->*plane = std::move(other.*plane);
    }
  }

  // Buffers whose bits are all set before every launch, which is the id of no primitive.
  std::vector<const Buffer*> filled() const { return {&visible_id, &depth_id, &stamps}; }

  uint64_t store_bytes() const {
    return bytes_of(store, free_memory, queue_memory, rasterizers, bits, pending_block, pending_mask, sort, gates,
                    control, task_done, distribution, counters, stage_ns, trace, trace_count, shared, programs, sampled,
                    vertex_positions, vertex_varyings);
  }
  uint64_t target_bytes() const {
    return bytes_of(color, color_high, more_colors, depth, stencil, order, direct, visible_id, depth_id, overdraw,
                    stamps, region_state, region_fragments);
  }

  // The memory in the form that the kernel reads.
  LaunchData data(const LaunchPlan& plan, const PlanTables& tables, const RenderOptions& options,
                  AbortWords* abort) const {
    LaunchData d{};
    d.raster = raster(plan, tables, options);
    if (plan.draws->vertices) d.vertices = vertices(tables, abort);
    if (shape.position_words != 0) d.raster.frame.positions = vertex_positions.template as<float>();
    if (shape.varying_words != 0) d.raster.programs.varyings = vertex_varyings.template as<uint32_t>();
    d.raster.bits.claimed = bits.template as<uint32_t>();
    // A rasterizer that waits at a gate, or that others wait for at a gate, has work without elements.
    if (plan.draws->in_one && plan.draws->blits == 0)
      d.raster.bits.filled = d.raster.bits.claimed + RasterizerBitTables::words(shape.rasterizers);
    d.raster.direct_phase = plan.direct_phase;
    d.schedule = schedule(plan, tables, options);
    d.raster.abort = d.schedule.abort = &abort->level;
    d.raster.queues.abort = d.raster.stock.free_blocks.abort = &abort->leave;
    d.raster.programs.abort = &abort->leave;
    d.distribution_scratch = distribution.template as<uint32_t>();
    d.reuse_all = options.reuse == ReuseMode::warp;
    d.reuse_programs = options.reuse == ReuseMode::automatic && plan.shape.width == 32;
    d.reuse_transforms =
        options.reuse == ReuseMode::automatic && plan.shape.width == 32 && options.vertex_work >= kWorkWorthSharing;
    d.counters = counters.template as<uint64_t>();
    d.stage_ns = stage_ns.template as<uint64_t>();
    d.trace = trace.template as<TraceRecord>();
    d.trace_count = trace_count.template as<uint32_t>();
    d.thread_time = options.thread_time;
    return d;
  }

  QueueMemory<1> free_blocks() const {
    return QueueMemory<1>::layout(free_memory.template as<void>(), 1, shape.queue_capacity);
  }
  QueueMemory<2> queues() const {
    return QueueMemory<2>::layout(queue_memory.template as<void>(), int(shape.rasterizers), shape.queue_capacity);
  }

 private:
  static uint64_t bytes_of(const auto&... buffers) { return (uint64_t(buffers.bytes()) + ...); }

  TargetTables targets(const TargetPlan& plan, const PlanTables& tables) const {
    TargetTables t{};
    t.targets = tables.targets;
    t.bin_owner = tables.bin_owner;
    t.first_region_of_owner = tables.first_region_of_owner;
    t.regions_by_owner = tables.regions_by_owner;
    t.region_state = region_state.template as<RegionState>();
    t.color = color.template as<uint32_t>();
    t.color_high = color_high.template as<uint32_t>();
    t.more_colors = more_colors.template as<uint32_t>();
    t.depth = depth.template as<float>();
    t.stencil = stencil.template as<uint8_t>();
    t.order = order.template as<uint32_t>();
    t.direct = direct.template as<uint64_t>();
    t.visible_id = visible_id.template as<uint32_t>();
    t.depth_id = depth_id.template as<uint32_t>();
    t.overdraw = overdraw.template as<uint32_t>();
    t.stamps = stamps.template as<uint32_t>();
    t.region = plan.region;
    t.region_shift = std::countr_zero(unsigned(plan.region));
    t.bin_shift = std::countr_zero(unsigned(plan.bin));
    t.rasterizers = shape.rasterizers;
    return t;
  }

  VertexTables vertices(const PlanTables& tables, AbortWords* abort) const {
    VertexTables vertices = tables.vertices;
    vertices.programs.sizes = *shape.programs;
    vertices.programs.memory = programs.template as<unsigned char>();
    vertices.programs.abort = &abort->leave;
    vertices.positions = vertex_positions.template as<uint32_t>();
    vertices.varyings = shape.varying_words == 0 ? nullptr : vertex_varyings.template as<uint32_t>();
    return vertices;
  }

  RasterTables raster(const LaunchPlan& its_plan, const PlanTables& tables, const RenderOptions& options) const {
    const TargetPlan& plan = *its_plan.targets;
    const TaskSizes& sizes = its_plan.sizes;
    RasterTables r{};
    r.frame = tables.frame;
    r.frame.vertex_work = options.vertex_work;
    r.targets = targets(plan, tables);
    r.blocks = store.template as<TriangleBlock>();
    r.store_blocks = shape.store_blocks;
    r.stock = {free_blocks(), sizes.stock_capacity, sizes.stock_keep};
    r.queues = queues();
    r.rasterizers = rasterizers.template as<RasterizerState>();
    r.pending_block = pending_block.template as<uint32_t>();
    r.pending_mask = pending_mask.template as<uint32_t>();
    r.sort_scratch = sort.template as<uint64_t>();
    r.sort_capacity = shape.queue_capacity;
    r.gates = gates.template as<BlitGate>();
    r.region_fragments = region_fragments.template as<uint64_t>();
    r.sampled_tiles = sampled.template as<unsigned char>();
    r.shading = options.shading;
    if (shape.programs && its_plan.draws->programs) {
      r.programs = tables.programs;
      r.programs.sizes = *shape.programs;
      r.programs.memory = programs.template as<unsigned char>();
    }
    r.averages = plan.shown_sample < 0;
    r.cull_hidden = options.hierarchical_depth;
    const ShadingTraits& traits = shading_traits(options.shading);
    r.quads = traits.derivatives || (traits.normal_maps && tables.frame.normal_maps != 0);
    return r;
  }

  ScheduleTables schedule(const LaunchPlan& plan, const PlanTables& tables, const RenderOptions& options) const {
    ScheduleTables s{};
    s.ranks = tables.ranks;
    s.task_order = tables.task_order;
    s.control = control.template as<ScheduleControl>();
    s.task_done = task_done.template as<uint32_t>();
    s.counted = plan.draws->in_one;
    s.window = plan.sizes.window;
    s.tasks = plan.sizes.tasks;
    s.task_batches = plan.sizes.task_batches;
    s.batches = plan.draws->batches;
    s.rasterizers = shape.rasterizers;
    s.blocks_per_task = plan.sizes.blocks_per_task;
    s.policy = options.policy;
    s.quota[kGeometryChild] = options.quotas[0];
    s.quota[kRasterChild] = options.quotas[1];
    s.stealing = options.ownership == Ownership::stealing;
    return s;
  }
};

// A region's state at the start of a frame: colour 0, depth 1, stencil 0, not yet written to memory.
inline RegionState initial_region() {
  RegionState s{};
  s.bits = s.untouched = kClearAny;
  s.depth = 1.0f;
  return s;
}

// Initializes the free-block queue in host memory, as if every block had been enqueued once.
inline void fill_free_blocks(const QueueMemory<1>& queue, uint32_t blocks) {
  struct Slot {
    uint32_t ticket, block;
  };
  static_assert(sizeof(Slot) == QueueMemory<1>::kSlotWords * sizeof(uint32_t));
  queue.reset();
  for (uint32_t i = 0; i < blocks; ++i) {
    const Slot filled{1, i};
    std::memcpy(queue.slots + size_t(i) * QueueMemory<1>::kSlotWords, &filled, sizeof filled);
  }
  queue.control->tail = blocks;
  queue.control->count = blocks;
}

}  // namespace brokkr
