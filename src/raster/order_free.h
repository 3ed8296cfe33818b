// An order-free phase of one rasterizer: what its pending triangles make visible in each of its regions, and, once the
// phase is complete, shading.
#pragma once

#include "geometry/counters.h"
#include "raster/pending.h"
#include "raster/raster_shared.h"
#include "raster/resolve.h"
#include "raster/visibility.h"

BROKKR_MACHINE_BEGIN

// Whether any pending element of the phase may touch the region. All warps get the answer.
template <class Shared>
BROKKR_FN bool region_is_touched(Block<Shared>& b, const RasterTables& t, uint32_t r, uint32_t phase,
                                 const RegionRecord& region) {
  Warp& w = b.warp;
  RasterShared& shared = b.shared->raster;
  const int count = int(t.rasterizers[r].pending);
  b.sync();
  if (b.leader()) {
    bool touched = false;
    for (int at = 0; at < count && !touched; at += w.width) {
      const PendingGroup group(w, t, r, at, count);
      touched = w.any(group.touching(w, t, phase, region));
    }
    w.once([&] { shared.flag = touched ? 1u : 0u; });
  }
  b.sync();
  return shared.flag != 0;
}

BROKKR_FN void prefetch_block(const TriangleBlock& block) {
  const char* bytes = reinterpret_cast<const char*>(&block);
  for (size_t line = 0; line < sizeof(TriangleBlock); line += 64) prefetch(bytes + line);
}

// Rasterizes all pending elements of the phase; `complete` says that no more will come.
template <class Shared>
BROKKR_FN_NOINLINE void run_order_free(Block<Shared>& b, const RasterTables& t, uint32_t r, uint32_t phase_number,
                                       bool complete, ShadeContext& shade_context, Counters& counters) {
  Warp& w = b.warp;
  RasterShared& shared = b.shared->raster;
  const PhaseRecord& phase = t.frame.phases[phase_number];
  const int share = w.index * w.width, step = b.warps * w.width;
  const int count = int(t.rasterizers[r].pending);
  for (uint32_t i = t.targets.first_own_region[r]; i < t.targets.first_own_region[r + 1]; ++i) {
    const RegionRecord& region = t.targets.own_regions[i];
    RegionState& state = t.targets.region_state[region.number];
    const bool waiting = (state.bits & kKeysWaiting) != 0;
    const bool touched = count > 0 && region_is_touched(b, t, r, phase_number, region);
    if (!touched && !(complete && waiting)) continue;
    if (is_stopped(b, t)) break;
    load_keys(w, t.targets, region, phase.key_bits, share, step, shared.keys);
    b.sync();
    int covered = 0;
    if (touched) {
      for (int at = share; at < count; at += step) {
        if (at > share && is_stopped(w, t)) break;
        const PendingGroup group(w, t, r, at, count);
        const Mask m = group.touching(w, t, phase_number, region);
        for (uint32_t bits = w.ballot(m); bits != 0; bits &= bits - 1) {
          const int lane = lowest_bit(bits);
          const uint32_t next = bits & (bits - 1);
          if (next != 0) prefetch_block(t.blocks[w.broadcast(group.block, lowest_bit(next))]);
          covered +=
              rasterize_block(w, t.blocks[w.broadcast(group.block, lane)], w.broadcast(group.mask, lane), region.x,
                              region.y, t.targets.region_shift, phase.key_bits, t.cull_hidden, shared.keys);
        }
      }
    }
    b.sync();
    counters.add(w, Counter::fragments, uint64_t(covered));
    w.once([&] {
      device_atomic<uint64_t>(t.region_fragments[region.number]).fetch_add(uint64_t(covered), kRelaxed);
      device_atomic<uint64_t>(t.rasterizers[r].fragments).fetch_add(uint64_t(covered), kRelaxed);
    });
    if (complete) {
      const int shaded =
          resolve_region(w, t.targets, region, phase.key_bits, t.quads, shade_context, shared.keys, w.index, b.warps);
      counters.add(w, Counter::fragments_shaded, uint64_t(shaded));
    } else {
      save_keys(w, t.targets, region, phase.key_bits, share, step, shared.keys);
    }
    b.sync();
    if (b.leader()) {
      w.once([&] {
        if (complete) {
          const uint32_t written =
              kClearDepth | kKeysWaiting | (phase.key_bits & kKeyDepthOnly ? 0u : uint32_t(kClearColor));
          state.bits &= ~written;
        } else {
          state.bits = (state.bits & ~uint32_t(kClearDepth)) | kKeysWaiting;
        }
      });
    }
    b.sync();
  }
}

BROKKR_MACHINE_END
