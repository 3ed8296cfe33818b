// Memory of launches of one layout, kept from frame to frame. `Buffer` is host memory (machine/zeroed_memory.h) or the
// GPU's: made by Buffer(bytes, what), zeroed, with as<T>() and bytes().
#pragma once

#include <bit>
#include <cstring>
#include <vector>

#include "pipeline/launch_layout.h"

namespace brokkr {

inline constexpr uint32_t kTraceCapacity = 1u << 16;  // events per block

// What decides the size of a launch's memory beside its layout.
struct MemoryShape {
  int blocks = 0, warps = 0;
  bool ids = false, overdraw = false, trace = false;
  uint32_t blits = 0;
  size_t shared_bytes = 0;  // per block, where block storage lies in memory
  bool operator==(const MemoryShape&) const = default;
};

template <class Buffer>
struct LaunchMemory {
  LaunchLayout layout;
  MemoryShape shape;
  Buffer color, color_high, depth, stencil, order, visible_id, depth_id, overdraw, region_state, region_fragments;
  Buffer store, free_memory, queue_memory, rasterizers, pending_block, pending_mask, sort, gates;
  Buffer control, task_done, distribution, counters, stage_ns, trace, trace_count, shared;

  LaunchMemory(const LaunchLayout& l, const MemoryShape& s) : layout(l), shape(s) {
    const size_t samples = size_t(l.samples), r = size_t(l.rasterizers), blocks = size_t(s.blocks);
    color = Buffer(samples * 4, "colour plane");
    color_high = Buffer(l.any_half ? samples * 4 : 0, "colour plane");
    depth = Buffer(samples * 4, "depth plane");
    stencil = Buffer(samples, "stencil plane");
    order = Buffer(samples * 4, "key plane");
    visible_id = Buffer(s.ids ? samples * 4 : 0, "identifier plane");
    depth_id = Buffer(s.ids ? samples * 4 : 0, "identifier plane");
    overdraw = Buffer(s.overdraw ? samples * 4 : 0, "overdraw plane");
    region_state = Buffer(size_t(l.regions) * sizeof(RegionState), "region states");
    region_fragments = Buffer(size_t(l.regions) * 8, "region counts");
    store = Buffer(size_t(l.store_blocks) * sizeof(TriangleBlock), "triangle store");
    free_memory = Buffer(QueueMemory<1>::bytes(1, l.queue_capacity), "queue of free blocks");
    queue_memory = Buffer(QueueMemory<2>::bytes(l.rasterizers, l.queue_capacity), "rasterizer queues");
    rasterizers = Buffer(r * sizeof(RasterizerState), "rasterizers");
    pending_block = Buffer(r * l.store_blocks * 4 + 256, "pending lists");
    pending_mask = Buffer(r * l.store_blocks * 4 + 256, "pending lists");
    sort = Buffer(blocks * l.sort_capacity * 8 + 256, "sort buffers");
    gates = Buffer(size_t(s.blits) * 8 + 8, "blit gates");
    control = Buffer(sizeof(ScheduleControl), "schedule");
    task_done = Buffer(size_t(l.window) * 4, "task window");
    distribution = Buffer(blocks * size_t(s.warps) * (2 * r + 32) * 4, "distribution buffers");
    counters = Buffer(kCounters * 8, "counters");
    stage_ns = Buffer(blocks * size_t(Stage::count) * 8, "stage times");
    trace = Buffer(s.trace ? blocks * kTraceCapacity * sizeof(TraceRecord) : 0, "trace");
    trace_count = Buffer(blocks * 4, "trace");
    shared = Buffer(blocks * s.shared_bytes, "block storage");
  }

  // Zeroed before every launch.
  std::vector<Buffer*> zeroed() {
    return {&region_fragments, &rasterizers, &gates,       &control, &task_done,
            &counters,         &stage_ns,    &trace_count, &shared,  &overdraw};
  }

  uint64_t store_bytes() const {
    uint64_t sum = 0;
    for (const Buffer* b :
         {&store, &free_memory, &queue_memory, &rasterizers, &pending_block, &pending_mask, &sort, &gates, &control,
          &task_done, &distribution, &counters, &stage_ns, &trace, &trace_count, &shared}) {
      sum += b->bytes();
    }
    return sum;
  }
  uint64_t target_bytes() const {
    uint64_t sum = 0;
    for (const Buffer* b : {&color, &color_high, &depth, &stencil, &order, &visible_id, &depth_id, &overdraw,
                            &region_state, &region_fragments}) {
      sum += b->bytes();
    }
    return sum;
  }

  // The kernel's view. Tables of the frame and of the layout, and the abort flag, are filled in by the machine.
  LaunchData data(const PhasePlan& plan, const LaunchLayout& l, const LaunchShape& launch,
                  const RenderOptions& options) const {
    LaunchData d{};
    RasterTables& r = d.raster;
    TargetTables& t = r.targets;
    t.region_state = region_state.template as<RegionState>();
    t.color = color.template as<uint32_t>();
    t.color_high = color_high.template as<uint32_t>();
    t.depth = depth.template as<float>();
    t.stencil = stencil.template as<uint8_t>();
    t.order = order.template as<uint32_t>();
    t.visible_id = visible_id.template as<uint32_t>();
    t.depth_id = depth_id.template as<uint32_t>();
    t.overdraw = overdraw.template as<uint32_t>();
    t.region = l.region;
    t.region_shift = std::countr_zero(unsigned(l.region));
    t.bin_shift = std::countr_zero(unsigned(l.bin));
    t.rasterizers = uint32_t(l.rasterizers);
    r.blocks = store.template as<TriangleBlock>();
    r.store_blocks = l.store_blocks;
    r.free_blocks = QueueMemory<1>::layout(free_memory.template as<void>(), 1, l.queue_capacity);
    r.queues = QueueMemory<2>::layout(queue_memory.template as<void>(), l.rasterizers, l.queue_capacity);
    r.rasterizers = rasterizers.template as<RasterizerState>();
    r.pending_block = pending_block.template as<uint32_t>();
    r.pending_mask = pending_mask.template as<uint32_t>();
    r.sort_scratch = sort.template as<uint64_t>();
    r.sort_capacity = l.sort_capacity;
    r.gates = gates.template as<uint32_t>();
    r.region_fragments = region_fragments.template as<uint64_t>();
    r.shading = options.shading;
    r.cull_hidden = options.hierarchical_depth;
    r.quads = takes_derivatives(options.shading);
    ScheduleTables& s = d.schedule;
    s.control = control.template as<ScheduleControl>();
    s.task_done = task_done.template as<uint32_t>();
    s.window = l.window;
    s.tasks = l.tasks;
    s.task_batches = l.task_batches;
    s.batches = plan.batches;
    s.rasterizers = uint32_t(l.rasterizers);
    s.blocks_per_task = l.task_batches * l.batch_blocks;
    s.policy = options.policy;
    s.quota[0] = options.quotas[0];
    s.quota[1] = options.quotas[1];
    s.reordered = l.reordered;
    s.stealing = options.ownership == Ownership::stealing;
    d.distribution_scratch = distribution.template as<uint32_t>();
    d.reuse_all = options.reuse == ReuseMode::warp;
    // Shading a vertex costs a wide warp less than finding its first use; a GPU's warp shares what it fetched.
    d.reuse_transforms = options.reuse == ReuseMode::automatic && launch.width == 32;
    d.counters = counters.template as<uint64_t>();
    d.stage_ns = stage_ns.template as<uint64_t>();
    d.trace = trace.template as<TraceRecord>();
    d.trace_count = trace_count.template as<uint32_t>();
    d.trace_capacity = kTraceCapacity;
    d.thread_time = options.thread_time;
    return d;
  }
};

// What every region begins a frame with: colour 0, depth 1, stencil 0, none of it in memory yet.
inline RegionState initial_region() {
  RegionState s{};
  s.bits = kClearColor | kClearDepth | kClearStencil;
  s.depth = 1.0f;
  return s;
}

// Host memory of the free-block queue as after one enqueue of every block.
inline void fill_free_blocks(const QueueMemory<1>& queue, uint32_t blocks) {
  queue.reset();
  for (uint32_t i = 0; i < blocks; ++i) {
    queue.slots[size_t(i) * QueueMemory<1>::kSlotWords] = 1;
    queue.slots[size_t(i) * QueueMemory<1>::kSlotWords + 1] = i;
  }
  queue.control->tail = blocks;
  queue.control->counts = (uint64_t(blocks) << 32) + blocks;
}

}  // namespace brokkr
