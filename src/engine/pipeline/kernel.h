// The pipeline's persistent kernel: every block executes tasks and visits rasterizers until the frame is finished.
#pragma once

#include "geometry/features.h"
#include "geometry/geometry_stage.h"
#include "machine/clock.h"
#include "pipeline/choose.h"
#include "pipeline/launch_data.h"
#include "pipeline/vertex_programs.h"
#include "raster/direct.h"

BROKKR_MACHINE_BEGIN

struct BlockShared {
  LaunchData launch;  // the kernel's arguments in shared memory
  union {             // a block uses one of these at a time
    RasterShared raster;
    GeometryScratch geometry[kMaxWarps];
  };
  Run run[kMaxWarps];  // each warp's last run
  Counters counters[kMaxWarps];
  [[no_unique_address]] std::conditional_t<kHasMiddle, HiddenHistory, NoHiddenHistory> hidden;
  Decision decision;
  uint32_t spin;  // consecutive decisions without work
  DecisionMemory memory;
  StockState stock;
  uint64_t busy_since, idle_since;
};
static_assert(kMaxWarps <= kMaxTasksOfDecision);

BROKKR_FN BlockShared& shared_of(const Block<BlockShared>& b) { return *in_shared_memory(b.shared); }

BROKKR_FN Stock stock_of(const Block<BlockShared>& b) {
  BlockShared& shared = shared_of(b);
  return {shared.launch.raster.stock, shared.stock};
}

// The vertex programs of a warp's task.
using TaskPrograms =
    std::conditional_t<(kKernelFeatures & kFeatureVertexPrograms) != 0, VertexPrograms, NoVertexPrograms>;
BROKKR_FN auto programs_of_task(Block<BlockShared>& b) {
  if constexpr ((kKernelFeatures & kFeatureVertexPrograms) != 0) {
    const LaunchData& data = shared_of(b).launch;
    ProgramMemory* const memory = data.vertices.records == nullptr
                                      ? nullptr
                                      : memory_of_warp(data.vertices.programs, b.index * b.warps + b.warp.index);
    return VertexPrograms(b.warp, data.raster.frame, data.vertices, memory);
  } else {
    return NoVertexPrograms();
  }
}

// Ends a task.
template <class Programs>
BROKKR_FN void finish(Warp& w, const Programs& programs, Counters& counters) {
  if constexpr (Programs::kRuns) programs.finish(w, counters);
}

// `turn` is the position of the task in starting order.
BROKKR_FN_NOINLINE void run_task(Block<BlockShared>& b, uint32_t turn) {
  Warp& w = b.warp;
  BlockShared& shared = shared_of(b);
  const LaunchData& data = shared.launch;
  const ScheduleTables& schedule = data.schedule;
  const uint32_t task = schedule.task_order != nullptr ? schedule.task_order[turn] : turn;
  Counters& counters = shared.counters[w.index];
  GeometryScratch& geometry = shared.geometry[w.index];
  DistributionScratch scratch;
  scratch.mask =
      data.distribution_scratch + size_t(b.index * b.warps + w.index) * distribution_words(schedule.rasterizers);
  scratch.touched = scratch.mask + schedule.rasterizers;
  scratch.near = DistributionScratch::may_be_near(schedule.rasterizers);
  if (scratch.near) scratch.mask = geometry.near_masks;
  const RasterTables& t = data.raster;
  Stock stock = stock_of(b);
  DirectDistributor distributor(t, stock, int(shared.decision.tasks.count), scratch, counters);
  Run& run = shared.run[w.index];
  BlockWriter writer(t.blocks, distributor, run, task);
  const uint32_t first = task * schedule.task_batches;
  const uint32_t end =
      first + schedule.task_batches < schedule.batches ? first + schedule.task_batches : schedule.batches;
  TaskPrograms programs = programs_of_task(b);
  const GeometryPass<DirectDistributor, TaskPrograms> pass{PassPrograms<TaskPrograms>(programs),
                                                           t.frame,
                                                           data.reuse_transforms,
                                                           data.reuse_programs,
                                                           data.reuse_all,
                                                           geometry,
                                                           run,
                                                           counters,
                                                           writer};
  const bool planned = (kKernelFeatures & kFeaturePlanned) && t.frame.planned != nullptr;
  if (planned) {
    process_planned(w, pass, first, end);
  } else {
    process_batches(w, pass, first, end);
  }
  finish(w, programs, counters);
  distributor.count(w, counters);
  stock.note_used(w, w.index, distributor.used());
}

BROKKR_FN void note_time(Block<BlockShared>& b, Stage stage, uint32_t argument, uint64_t begin, uint64_t end) {
  Warp& w = b.warp;
  const LaunchData& data = shared_of(b).launch;
  w.once([&] {
    data.stage_ns[size_t(b.index) * size_t(Stage::count) + size_t(stage)] += end - begin;
    if (data.trace && data.trace_count[b.index] < kTraceCapacity) {
      data.trace[size_t(b.index) * kTraceCapacity + data.trace_count[b.index]++] = {uint32_t(stage), argument, begin,
                                                                                    end};
    }
  });
}

// The leading warp decides what its block does next.
BROKKR_FN_NOINLINE void decide_next(Block<BlockShared>& b) {
  Warp& w = b.warp;
  BlockShared& shared = shared_of(b);
  const LaunchData& data = shared.launch;
  Stock stock = stock_of(b);
  const Decision decision = decide(b, data.raster, data.schedule, stock, shared.memory);
  if (decision.refused) shared.counters[w.index].add(w, Counter::admission_waits, 1);
  shared.counters[w.index].peak(w, Counter::store_peak, data.raster.store_blocks - uint32_t(decision.free_blocks));
  // A decision that follows an action at once belongs to the next action, so the clock need not be read again.
  const bool waited = w.uniform([&] { return shared.spin != 0; }), waits = decision.action == Action::wait;
  w.once([&] {
    shared.decision = decision;
    if constexpr (kKernelFeatures & kFeatureStamps) shared.launch.raster.targets.block = uint32_t(b.index);
    shared.spin = waits ? shared.spin + 1 : 0;
    if (!waits) shared.busy_since = waited ? clock_ns(data.thread_time) : shared.idle_since;
  });
  if (waited && !waits) note_time(b, Stage::idle, 0, shared.idle_since, shared.busy_since);
}

// Visits the chosen rasterizer. The shading state is created here, so that it lives only as long as the visit. If the
// caller created it, it would lie on the kernel's own stack, and the compiler would keep more of it around the calls.
BROKKR_FN_NOINLINE void work_for_rasterizer(Block<BlockShared>& b) {
  BlockShared& shared = shared_of(b);
  const LaunchData& data = shared.launch;
  ShadeContext shading{&data.raster.frame, data.raster.shading, {}};
  if constexpr (kKernelFeatures & kFeaturePrograms) {
    const ProgramTables& programs = data.raster.programs;
    shading.programs = &programs;
    if (programs.memory != nullptr) {
      shading.memory = memory_of_warp(programs, b.index * b.warps + b.warp.index);
      b.warp.once([&] { shading.memory->call.cut = 0; });
    }
  }
  const uint32_t r = shared.decision.rasterizer;
  const Visit<BlockShared> visit{b,
                                 data.raster,
                                 r,
                                 shared.decision.mark,
                                 shared.decision.aborted,
                                 data.schedule.task_batches,
                                 shading,
                                 shared.counters[b.warp.index]};
  const bool finished = visit_rasterizer(visit);
  if constexpr (kKernelFeatures & kFeaturePrograms) {
    if (shading.memory != nullptr)
      shared.counters[b.warp.index].add(b.warp, Counter::loops_cut, shading.memory->call.cut);
  }
  if (b.leader()) release_rasterizer(b.warp, data.raster, data.schedule, r, finished);
}

// After its own task, the leading warp requests the status for the next decision. The answers arrive while other warps
// work.
BROKKR_FN_NOINLINE void ask_ahead(Block<BlockShared>& b) {
  BlockShared& shared = shared_of(b);
  ask_status_ahead(b.warp, shared.launch.raster, shared.launch.schedule, shared.memory);
}

// All warps carry out the decision. The barrier at the end orders no memory, because the other warps wait for the next
// decision and read nothing before it. nvcc 13.0 spills a register of the kernel's entry if the barrier is missing
// (tools/check-spills).
BROKKR_FN_NOINLINE void act(Block<BlockShared>& b) {
  Warp& w = b.warp;
  BlockShared& shared = shared_of(b);
  const LaunchData& data = shared.launch;
  if (shared.decision.action == Action::geometry) {
    const TaskRange tasks = shared.decision.tasks;
    if (uint32_t(w.index) < tasks.count) run_task(b, tasks.first + uint32_t(w.index));
    if (b.leader() && b.warps > 1) ask_ahead(b);
  } else {
    work_for_rasterizer(b);
  }
  b.sync();
  if (b.leader()) {
    const Decision& decision = shared.decision;
    const bool geometry = decision.action == Action::geometry;
    Stock stock = stock_of(b);
    if (geometry) {
      stock.settle(w, int(decision.tasks.count));
      complete_tasks(w, data.schedule, decision.tasks);
    }
    stock.trim(w);
    w.once([&] { shared.idle_since = clock_ns(data.thread_time); });
    end_action(w, data.schedule, geometry, shared.idle_since - shared.busy_since);
    note_time(b, geometry ? Stage::geometry : Stage::rasterize, geometry ? decision.tasks.first : decision.rasterizer,
              shared.busy_since, shared.idle_since);
  }
  b.sync();
}

// One warp adds up the counts of all warps in its block, after the barrier that follows the last count. A block updates
// each total once. Each lane updates a different total, so that all updates go out together.
BROKKR_FN_NOINLINE void sum_counters(Block<BlockShared>& b) {
  Warp& w = b.warp;
  const BlockShared& shared = shared_of(b);
  for (int g = 0; g < kCounters; g += w.width) {
    w.for_lanes(w.first_lanes(kCounters - g < w.width ? kCounters - g : w.width), [&](int lane) {
      const int i = g + lane;
      const bool peak = is_peak(Counter(i));
      uint64_t sum = 0, largest = 0;
      for (int warp = 0; warp < b.warps; ++warp) {
        const uint64_t n = shared.counters[warp].value[i];
        sum += n;
        largest = n > largest ? n : largest;
      }
      if (sum == 0) return;
      device_atomic<uint64_t> total(shared.launch.counters[i]);
      if (!peak) {
        total.fetch_add(sum, kRelaxed);
        return;
      }
      uint64_t old = total.load(kRelaxed);
      while (largest > old && !total.compare_exchange_weak(old, largest, kRelaxed)) {
      }
    });
  }
}

// The kernel's body, which all warps of all blocks run.
BROKKR_FN void run_pipeline(Block<BlockShared> b, const LaunchData& arguments) {
  Warp& w = b.warp;
  BlockShared& shared = shared_of(b);
  const LaunchData& data = shared.launch;
  // The barrier orders no memory. Only the leader, which writes the arguments, reads them before the loop's first
  // barrier.
  if (b.leader()) w.once([&] { shared.launch = arguments; });
  b.sync();
  w.once([&] {
    for (int i = 0; i < kCounters; ++i) shared.counters[w.index].value[i] = 0;
    if constexpr (kHasMiddle) shared.hidden = {};
    shared.run[w.index].number = kNoPrimitive;
    if (b.leader()) {
      shared.spin = 0;
      shared.stock.held = 0;
      shared.idle_since = shared.busy_since = clock_ns(data.thread_time);
    }
  });
  if (b.leader()) begin_decisions(w, data.raster, data.schedule, b.index, b.blocks, shared.memory);
  for (;;) {
    w.host_turn();
    if (b.leader()) decide_next(b);
    b.sync();
    const Action action = shared.decision.action;
    const int spin = int(shared.spin);
    if (action == Action::leave) break;
    if (action == Action::wait) {
      b.sync();  // all warps have read the decision
      pause(spin);
      if (b.leader()) shared.counters[0].add(w, Counter::spins, 1);
      continue;
    }
    act(b);
  }
  if (b.leader()) {
    stock_of(b).trim(w, 0);
    sum_counters(b);
  }
}

BROKKR_MACHINE_END
