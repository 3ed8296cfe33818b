// A visit to a rasterizer: everything that can be done for it now, phase after phase.
#pragma once

#include "raster/commands.h"
#include "raster/order_free.h"
#include "raster/ordered.h"

BROKKR_MACHINE_BEGIN

// The watermark of a launch as one visit sees it. Read before the queue is drained: all elements of tasks below it are
// then in.
struct Watermark {
  uint32_t tasks;    // all before this one are complete
  uint32_t batches;  // the same in batches; the frame's number of batches once geometry is over
};

// The caller's block works for rasterizer r. Returns true when the rasterizer has finished the frame.
template <class Shared>
BROKKR_FN_NOINLINE bool visit_rasterizer(Block<Shared>& b, const RasterTables& t, uint32_t r, Watermark mark,
                                         bool ending, uint32_t task_batches, ShadeContext& shade_context,
                                         Counters& counters) {
  Warp& w = b.warp;
  RasterizerState& state = t.rasterizers[r];
  if (b.leader()) {
    drain_queue(w, t, r);
    counters.add(w, Counter::visits, 1);
    counters.peak(w, Counter::queue_peak, state.pending);
  }
  b.sync();
  for (uint32_t phase = state.phase; phase < t.frame.phase_count;) {
    if (ending && is_stopped(b, t)) return true;
    const PhaseRecord& record = t.frame.phases[phase];
    const bool complete = ending || mark.batches >= record.end_batch;
    bool over = complete;
    uint32_t wake = record.end_batch;
    switch (record.kind) {
      case PhaseKind::order_free:
        run_order_free(b, t, r, phase, complete, shade_context, counters);
        b.sync();  // nobody reads the pending elements any more
        if (b.leader()) retire(w, t, r, phase, 0xffffffffu);
        break;
      case PhaseKind::ordered: {
        const uint32_t before = ending ? 0xffffffffu : mark.tasks;
        run_ordered(b, t, r, phase, before, shade_context, counters);
        b.sync();
        if (b.leader()) {
          const uint32_t next = retire(w, t, r, phase, before);
          if (next < 0xffffffffu / task_batches - 1) {
            const uint32_t ready = (next + 1) * task_batches;
            wake = ready < wake ? ready : wake;
          }
        }
        break;
      }
      case PhaseKind::clear:
        run_clear(b, t, r, record);
        over = true;
        break;
      case PhaseKind::blit:
        over = ending || run_blit(b, t, r, record);
        wake = kAtGate;
        break;
      case PhaseKind::finish:
        materialize_own(b, t, r, 0xffffffffu);
        over = true;
        break;
    }
    b.sync();
    if (over) ++phase;
    if (b.leader()) {
      w.once([&] {
        state.phase = phase;
        if (!over) device_atomic<uint32_t>(state.wake).store(wake, kRelaxed);
      });
    }
    b.sync();
    if (!over) return false;
  }
  return true;
}

BROKKR_MACHINE_END
