// The pipeline's persistent kernel: every block takes tasks and visits rasterizers until the frame is
// finished.
#pragma once

#include "bin/distribute.h"
#include "geometry/geometry_stage.h"
#include "machine/clock.h"
#include "pipeline/launch_data.h"
#include "schedule/choose.h"

BROKKR_MACHINE_BEGIN

struct BlockShared {
  RasterShared raster;
  GeometryScratch geometry[kMaxWarps];
  Counters counters[kMaxWarps];
  Decision decision;
  Watermark mark;
  uint32_t ending;
};

// Gives a geometry warp store blocks out of its reservation and sends full ones to the rasterizers.
struct BlockSupply {
  const RasterTables* tables;
  DistributionScratch scratch;
  Counters* counters;
  int reserved;

  BROKKR_FN uint32_t open(Warp& w) {
    BrokerQueues<1> free_blocks(tables->free_blocks);
    Uint element[1];
    free_blocks.take(w, 0, element, 1);
    --reserved;
    return w.broadcast(element[0], 0);
  }
  BROKKR_FN void close(Warp& w, uint32_t block) {
    BrokerQueues<2> queues(tables->queues);
    if (distribute(w, tables->blocks[block], block, tables->targets, queues, scratch, *counters)) return;
    BrokerQueues<1> free_blocks(tables->free_blocks);
    const uint32_t element[1] = {block};
    free_blocks.enqueue(w, 0, element);
  }
};

BROKKR_FN_NOINLINE void run_task(Block<BlockShared>& b, const LaunchData& data, uint32_t task) {
  Warp& w = b.warp;
  const ScheduleTables& s = data.schedule;
  Counters& counters = b.shared->counters[w.index];
  BlockSupply supply;
  supply.tables = &data.raster;
  supply.scratch.mask =
      data.distribution_scratch + size_t(b.index * b.warps + w.index) * (2 * s.rasterizers + 32);
  supply.scratch.touched = supply.scratch.mask + s.rasterizers;
  supply.counters = &counters;
  supply.reserved = int(s.blocks_per_task);
  BlockWriter<BlockSupply> writer(data.raster.blocks, supply, task);
  const uint32_t first = task * s.task_batches;
  const uint32_t end = first + s.task_batches < s.batches ? first + s.task_batches : s.batches;
  process_batches(w, data.raster.frame, data.reuse_transforms, data.reuse_all, first, end,
                  b.shared->geometry[w.index], counters, writer);
  BrokerQueues<1> free_blocks(data.raster.free_blocks);
  free_blocks.unreserve(w, 0, supply.reserved);
  complete_task(w, s, task);
}

BROKKR_FN void note_time(Block<BlockShared>& b, const LaunchData& data, Stage stage, uint32_t argument,
                         uint64_t begin, uint64_t end) {
  Warp& w = b.warp;
  w.once([&] {
    data.stage_ns[size_t(b.index) * size_t(Stage::count) + size_t(stage)] += end - begin;
    if (data.trace && data.trace_count[b.index] < data.trace_capacity) {
      data.trace[size_t(b.index) * data.trace_capacity + data.trace_count[b.index]++] = {
          uint32_t(stage), argument, begin, end};
    }
  });
}

// All warps of all blocks run this.
BROKKR_FN_NOINLINE void run_pipeline(Block<BlockShared> b, const LaunchData& data) {
  Warp& w = b.warp;
  BlockShared& shared = *b.shared;
  Counters& counters = shared.counters[w.index];
  w.once([&] {
    for (int i = 0; i < kCounters; ++i) counters.value[i] = 0;
  });
  ShadeContext shade_context;
  shade_context.frame = &data.raster.frame;
  shade_context.shading = data.raster.shading;
  uint32_t cursor = uint32_t(b.index) * data.schedule.rasterizers / uint32_t(b.blocks);
  if (!data.schedule.stealing) cursor = 0;
  int spin = 0;
  uint64_t begin = clock_ns(), idle_since = begin;
  for (;;) {
    if (b.leader()) {
      const Decision d = decide(w, data.raster, data.schedule, b.index, b.blocks, b.warps, cursor);
      const bool aborted =
          w.uniform([&] { return system_atomic<uint32_t>(*data.schedule.abort).load(kRelaxed); }) != 0;
      const Watermark mark = read_watermark(w, data.schedule);
      w.once([&] {
        shared.decision = d;
        shared.mark = mark;
        shared.ending = aborted ? 1u : 0u;
      });
    }
    b.sync();
    const Decision d = shared.decision;
    const Watermark mark = shared.mark;
    const bool ending = shared.ending != 0;
    b.sync();
    if (d.action == Action::leave) break;
    if (d.action == Action::wait) {
      pause(spin++);
      counters.add(w, Counter::spins, 1);
      continue;
    }
    spin = 0;
    begin = clock_ns();
    if (b.leader()) note_time(b, data, Stage::idle, 0, idle_since, begin);
    if (d.action == Action::geometry) {
      if (uint32_t(w.index) < d.tasks.count) run_task(b, data, d.tasks.first + uint32_t(w.index));
      if (b.leader()) {
        BrokerQueues<1> free_blocks(data.raster.free_blocks);
        counters.peak(w, Counter::store_peak, data.raster.store_blocks - uint32_t(free_blocks.size(w, 0)));
      }
    } else {
      const bool finished = visit_rasterizer(b, data.raster, d.rasterizer, mark, ending,
                                             data.schedule.task_batches, shade_context, counters);
      b.sync();
      if (b.leader()) release_rasterizer(w, data.raster, data.schedule, d.rasterizer, finished);
    }
    b.sync();
    idle_since = clock_ns();
    if (b.leader()) {
      note_time(b, data, d.action == Action::geometry ? Stage::geometry : Stage::rasterize,
                d.action == Action::geometry ? d.tasks.first : d.rasterizer, begin, idle_since);
    }
  }
  b.sync();
  w.once([&] {
    for (int i = 0; i < kCounters; ++i) {
      device_atomic<uint64_t> total(data.counters[i]);
      const uint64_t mine = counters.value[i];
      if (is_peak(Counter(i))) {
        uint64_t old = total.load(kRelaxed);
        while (mine > old && !total.compare_exchange_weak(old, mine, kRelaxed)) {
        }
      } else if (mine != 0) {
        total.fetch_add(mine, kRelaxed);
      }
    }
  });
}

BROKKR_MACHINE_END
