// A visit to a rasterizer: a block does all work that is possible at that time, phase after phase.
#pragma once

#include "geometry/features.h"
#include "raster/commands.h"
#include "raster/order_free.h"
#include "raster/ordered.h"

BROKKR_MACHINE_BEGIN

// Draws the elements of an ordered phase below the watermark. Lowers `wake` if the task of the next element ends before
// the phase.
template <class Shared>
BROKKR_FN void run_ordered_phase(const Visit<Shared>& visit, uint32_t phase, uint32_t& wake) {
  Block<Shared>& b = visit.b;
  const uint32_t before = visit.ending ? kAllTasks : visit.mark.tasks;
  run_ordered(visit, phase, before);
  b.sync();  // nothing reads the pending elements any more
  if (!b.leader()) return;
  Stock stock = visit.stock();
  const uint32_t next = retire(b.warp, visit.t, stock, visit.r, phase, before);
  if (next < kAllTasks / visit.task_batches - 1) {
    const uint32_t ready = (next + 1) * visit.task_batches;
    wake = ready < wake ? ready : wake;
  }
}

// Does the work of a phase that is possible now. Returns true if the phase is over; otherwise `wake` says when to visit
// again (RasterizerState::wake). The caller's barrier completes the work. Regions are independent, so a phase needs its
// own barriers only if warps share a region, or before the leader removes elements that other warps read.
template <class Shared>
BROKKR_FN bool run_phase(const Visit<Shared>& visit, uint32_t phase, uint32_t& wake) {
  Block<Shared>& b = visit.b;
  Warp& w = b.warp;
  const PhaseRecord& record = visit.t.frame.phases[phase];
  const bool complete = visit.ending || visit.mark.batches >= record.end_batch;
  wake = record.end_batch;
  switch (record.kind) {
    case PhaseKind::order_free:
      run_order_free(visit, phase, complete);
      if (b.leader()) {
        Stock stock = visit.stock();
        retire(w, visit.t, stock, visit.r, phase, kAllTasks);
      }
      return complete;
    case PhaseKind::ordered:
      if constexpr (kKernelFeatures & kFeatureOrdered) run_ordered_phase(visit, phase, wake);
      return complete;
    case PhaseKind::clear: run_clear(visit, record); return true;
    case PhaseKind::load:
      if constexpr (kKernelFeatures & kFeaturePrograms) run_load(visit, record, phase);
      return true;
    case PhaseKind::blit:
    case PhaseKind::publish:
    case PhaseKind::mips:
      if constexpr (kKernelFeatures & (kFeatureBlits | kFeaturePrograms)) {
        if (record.kind != PhaseKind::mips) end_waiting_loads(visit, record.source_target);
        if (visit.ending) return true;
        wake = run_gated(visit, record);
        return wake == kNoWake;
      }
      return true;
    case PhaseKind::finish:
      end_waiting_loads(visit, kEveryTarget);
      run_finish(visit, record);
      return true;
  }
  return complete;
}

// The caller's block works for a rasterizer. Returns true if the rasterizer has finished the frame. After the last
// barrier only the leader accesses the rasterizer, so it may be released immediately.
template <class Shared>
BROKKR_FN_NOINLINE bool visit_rasterizer(const Visit<Shared>& visit) {
  Block<Shared>& b = visit.b;
  Warp& w = b.warp;
  RasterizerState& state = visit.state();
  if (b.leader()) {
    drain_queue(w, visit.t, visit.r);
    visit.counters.add(w, Counter::visits, 1);
    visit.counters.peak(w, Counter::queue_peak, state.pending);
  }
  b.sync();
  for (uint32_t phase = state.phase; phase < visit.t.frame.phase_count;) {
    w.host_turn();
    if (visit.ending && visit.is_stopped()) return true;
    uint32_t wake = 0;
    const bool over = run_phase(visit, phase, wake);
    b.sync();  // all warps see the leader's writes, and have read the state that it changes next
    if (over) ++phase;
    if (b.leader()) {
      w.once([&] {
        state.phase = phase;
        if (!over) device_atomic<uint32_t>(state.wake).store(wake, kRelaxed);
      });
    }
    if (!over) return false;
  }
  return true;
}

BROKKR_MACHINE_END
