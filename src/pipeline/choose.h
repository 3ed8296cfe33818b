// What a block does next: a decision of its leading warp.
#pragma once

#include "raster/rasterizer.h"
#include "schedule/watermark.h"

BROKKR_MACHINE_BEGIN

enum class Action : uint32_t { wait, geometry, visit, leave };

struct Decision {
  Action action = Action::wait;
  TaskRange tasks;
  bool refused = false;  // a task was wanted and could not start
  uint32_t rasterizer = 0;
};

BROKKR_FN bool is_aborted(Warp& w, const ScheduleTables& s) {
  return w.uniform([&] { return system_atomic<uint32_t>(*s.abort).load(kRelaxed); }) != 0;
}

BROKKR_FN Watermark read_watermark(Warp& w, const ScheduleTables& s) {
  Watermark m;
  m.tasks = w.uniform([&] { return device_atomic<uint32_t>(s.control->watermark).load(kAcquire); });
  m.batches = m.tasks >= s.tasks ? s.batches : m.tasks * s.task_batches;
  return m;
}

// Looks for a rasterizer that can go on, beginning at `cursor`, and claims it. Prefers long queues among the
// first that it meets: a visit moves a region's keys, which pays only with triangles to show for it.
BROKKR_FN bool claim_rasterizer(Warp& w, const RasterTables& t, const ScheduleTables& s, int block,
                                int blocks, uint32_t& cursor, uint32_t& chosen) {
  const Watermark mark = read_watermark(w, s);
  const int rasterizers = int(s.rasterizers);
  // With fixed ownership block i looks after rasterizers i, i + blocks, ...
  const int own = s.stealing ? rasterizers : (rasterizers - block + blocks - 1) / blocks;
  if (own <= 0) return false;
  const int enough = 64;
  int best = -1, best_score = 0, seen = 0;
  for (int g = 0; g < own; g += w.width) {
    Int k = w.lane() + Int(g + int(cursor));
    k = select(k >= Int(own), k - Int(own), k);
    const Mask m = w.first_lanes(own - g) && k < Int(own);
    const Int r = s.stealing ? k : k * Int(blocks) + Int(block);
    auto score = w.spill(Int(0));
    const auto r_of = w.spill(r);
    w.for_lanes(m, [&](int i) {
      RasterizerState& state = t.rasterizers[r_of[i]];
      if (device_atomic<uint32_t>(state.claim).load(kRelaxed) != 0) return;
      const int waiting = Broker(t.queues.control[r_of[i]], t.queues.capacity).available();
      const bool awake = mark.batches >= device_atomic<uint32_t>(state.wake).load(kRelaxed);
      score.set(i, waiting > 0 ? waiting + 1 : awake ? 1 : 0);
    });
    const Int found = select(m, score.lanes(), Int(0));
    const int top = w.reduce_max(found);
    if (top > best_score) {
      best_score = top;
      best = w.broadcast(r, lowest_bit(w.ballot(m && found == Int(top))));
    }
    seen += w.width;
    if (best >= 0 && seen >= enough) break;
  }
  if (best < 0) return false;
  cursor = uint32_t((s.stealing ? best : best / blocks) + 1);
  if (cursor >= uint32_t(own)) cursor = 0;
  chosen = uint32_t(best);
  return w.uniform([&] {
    uint32_t expected = 0;
    return device_atomic<uint32_t>(t.rasterizers[best].claim)
        .compare_exchange_strong(expected, 1, kAcquire, kRelaxed);
  });
}

BROKKR_FN void release_rasterizer(Warp& w, const RasterTables& t, const ScheduleTables& s, uint32_t r,
                                  bool finished) {
  w.sync();
  w.once([&] {
    // A finished rasterizer keeps its claim: nobody has to look at it again.
    if (finished)
      device_atomic<uint32_t>(s.control->finished).fetch_add(1, kAcqRel);
    else
      device_atomic<uint32_t>(t.rasterizers[r].claim).store(0, kRelease);
  });
}

// One warp decides for its block.
BROKKR_FN Decision decide(Warp& w, const RasterTables& t, const ScheduleTables& s, int block, int blocks,
                          int warps, uint32_t& cursor) {
  Decision d;
  const uint32_t abort = w.uniform([&] { return system_atomic<uint32_t>(*s.abort).load(kRelaxed); });
  const bool aborted = abort != 0;
  if (abort >= 2 || w.uniform([&] { return device_atomic<uint32_t>(s.control->finished).load(kAcquire); }) >=
                        s.rasterizers) {
    d.action = Action::leave;
    return d;
  }
  BrokerQueues<1> free_blocks(t.free_blocks);
  const auto try_geometry = [&] {
    if (aborted) return false;
    d.tasks = admit_tasks(w, s, free_blocks, warps, blocks);
    d.refused |= d.tasks.refused;
    if (d.tasks.count == 0) return false;
    d.action = Action::geometry;
    return true;
  };
  const auto try_visit = [&] {
    if (!claim_rasterizer(w, t, s, block, blocks, cursor, d.rasterizer)) return false;
    d.action = Action::visit;
    return true;
  };
  bool geometry = s.policy == Policy::geometry_first;
  if (s.policy == Policy::fill_level) geometry = uint32_t(free_blocks.size(w, 0)) * 4u >= t.store_blocks;
  if (geometry && try_geometry()) return d;
  if (try_visit()) return d;
  if (!geometry && try_geometry()) return d;
  return d;
}

BROKKR_MACHINE_END
