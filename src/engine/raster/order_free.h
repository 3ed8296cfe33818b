// An order-free phase of one rasterizer. It finds the triangles that are visible in each of its regions, and shades
// them once the phase is complete.
#pragma once

#include <type_traits>

#include "geometry/counters.h"
#include "machine/machine.h"
#include "raster/hidden.h"
#include "raster/pending.h"
#include "raster/raster_shared.h"
#include "raster/resolve.h"
#include "raster/resolve_samples.h"
#include "raster/sampled.h"
#include "raster/visibility.h"

BROKKR_MACHINE_BEGIN

// Returns true in all warps if any pending element of the phase may touch the region.
template <class Shared>
BROKKR_FN bool region_is_touched(const Visit<Shared>& visit, uint32_t phase, const RegionRecord& region) {
  Warp& w = visit.b.warp;
  const int count = int(visit.state().pending);
  return visit.ask_leader([&] {
    bool touched = false;
    for (int first = 0; first < count && !touched; first += w.width) {
      const PendingGroup group(w, visit.t, visit.r, first, count);
      touched = w.any(group.touching(w, visit.t, phase, region));
    }
    return touched;
  });
}

// Returns true if geometry may have written keys of the phase to the region directly. All warps get the same answer: in
// a complete phase the count no longer changes, and in an aborted frame, where geometry may still run, no warp reads
// the count.
template <class Shared>
BROKKR_FN bool has_direct_keys(const Visit<Shared>& visit, uint32_t phase, const RegionRecord& region) {
  return phase == visit.t.direct_phase && (visit.ending || visit.t.region_fragments[region.number] != 0);
}

// Merges the keys that geometry wrote into the key buffer by the minimum, for the warp's share of samples.
BROKKR_FN_NOINLINE void move_direct_keys(Warp& w, const KeyPass& pass) {
  constexpr int kTogether = 4;  // independent loads
  const KeyPlane plane{pass.planes->direct + pass.base()};
  const int step = pass.share.step, samples = pass.samples();
  for (int first = pass.share.first; first < samples; first += kTogether * step) {
    Ulong word[kTogether];
    for (int i = 0; i < kTogether; ++i) {
      const int s = first + i * step;
      if (s < samples) word[i] = plane.load(w, s);
    }
    for (int i = 0; i < kTogether; ++i) {
      const int s = first + i * step;
      if (s >= samples) break;
      const Mask some = word[i] != 0;
      if (!w.any(some)) continue;
      plane.clear(w, s, some);
      const Ulong key = ~word[i];
      pass.keys->take_min(w, s, Uint(key >> 32), Uint(key & 0xffffffff), some);
    }
  }
}

BROKKR_FN void prefetch_block(const TriangleBlock& block) {
  const char* bytes = reinterpret_cast<const char*>(&block);
  for (size_t line = 0; line < sizeof(TriangleBlock); line += 64) prefetch(bytes + line);
}

// The pending elements of a region on their way to the key buffer, if hidden triangles are left out.
struct FrontToBack {
  BlockOrder order;
  HiddenTest hidden;

  BROKKR_FN explicit FrontToBack(const KeyPass& pass) : hidden(pass) {}

  BROKKR_FN bool has_room(int elements) const { return order.count + elements <= BlockOrder::kMax; }
  // Rasterizes the elements. Returns the number of covered samples.
  BROKKR_FN int draw(Warp& w, const RasterTables& t, const KeyPass& pass) {
    int covered = 0;
    hidden.begin(order.count);
    for (int i = 0; i < order.count; ++i) {
      if (i + 1 < order.count) prefetch_block(t.blocks[order.block[i + 1]]);
      const auto block = t.blocks + order.block[i];
      const uint32_t mask = hidden.visible(w, *block, order.mask[i]);
      if (mask != 0) covered += rasterize_block(w, pass, block, mask, AtCenter{});
    }
    order.count = 0;
    return covered;
  }
};

// Rasterizes the warp's share of the pending elements that touch the region. Returns the number of covered samples.
template <class Shared, class Place>
BROKKR_FN int rasterize_pending(const Visit<Shared>& visit, uint32_t phase, const KeyPass& pass, Place place) {
  Warp& w = visit.b.warp;
  const RasterTables& t = visit.t;
  const int count = int(visit.state().pending);
  int covered = 0;
  constexpr bool kInOrder = kHasMiddle && std::is_same_v<Place, AtCenter>;
  [[maybe_unused]] FrontToBack sorted(pass);
  bool in_order = false;
  if constexpr (kInOrder) in_order = pass.cull_hidden && visit.b.shared->hidden.looks();
  for (int first = pass.share.first; first < count; first += pass.share.step) {
    if (first > pass.share.first && visit.warp_is_stopped()) break;
    const PendingGroup group(w, t, visit.r, first, count);
    const Mask m = group.touching(w, t, phase, *pass.region);
    if constexpr (kInOrder) {
      if (in_order) {
        for (uint32_t bits = w.ballot(m); bits != 0; bits &= bits - 1) {
          const uint32_t block = w.broadcast(group.block, lowest_bit(bits));
          sorted.order.insert(t.blocks[block], block, w.broadcast(group.mask, lowest_bit(bits)), pass.key_bits);
        }
        if (first + pass.share.step >= count || !sorted.has_room(w.width)) covered += sorted.draw(w, t, pass);
        continue;
      }
    }
    for (uint32_t bits = w.ballot(m); bits != 0; bits &= bits - 1) {
      const int lane = lowest_bit(bits);
      const uint32_t next = bits & (bits - 1);
      if (next != 0) prefetch_block(t.blocks[w.broadcast(group.block, lowest_bit(next))]);
      covered +=
          rasterize_block(w, pass, t.blocks + w.broadcast(group.block, lane), w.broadcast(group.mask, lane), place);
    }
  }
  if constexpr (kInOrder) {
    if (in_order) sorted.hidden.note(visit.b.shared->hidden);
  }
  return covered;
}

// Does the same for the regions of all samples of some pixels, `regions` .. regions + samples - 1. Keys stay in memory
// until the phase ends, so that each visible primitive is shaded once per pixel. Returns false if the launch must end.
template <class Shared>
BROKKR_FN_NOINLINE bool find_samples(const Visit<Shared>& visit, uint32_t phase_number, bool complete,
                                     const RegionRecord* regions, uint32_t samples) {
  Block<Shared>& b = visit.b;
  Warp& w = b.warp;
  const RasterTables& t = visit.t;
  const PhaseRecord& phase = t.frame.phases[phase_number];
  RegionState* const states = t.targets.region_state;
  const bool waiting = (states[regions[0].number].bits & kKeysWaiting) != 0;
  const bool touched = visit.state().pending > 0 && region_is_touched(visit, phase_number, regions[0]);
  if (!touched && !(complete && waiting)) return true;
  const auto pass_of = [&](uint32_t i) -> KeyPass {
    const RegionRecord& region = regions[i];
    return {&t.targets, &region,          &visit.shared().keys,   visit.share(),  region.x,
            region.y,   t.targets.region, t.targets.region_shift, phase.key_bits, t.cull_hidden};
  };
  for (uint32_t i = 0; i < samples && touched; ++i) {
    if (visit.is_stopped()) return false;
    const KeyPass pass = pass_of(i);
    load_keys(w, pass);
    b.sync();
    const int covered = rasterize_pending(visit, phase_number, pass, AtSample{t.frame.draws, samples, i});
    b.sync();
    visit.counters.add(w, Counter::fragments, uint64_t(covered));
    visit.count_fragments(regions[i], uint64_t(covered));
    save_keys(w, pass);
    b.sync();
    if (!b.leader()) continue;
    w.once([&] {
      RegionState& state = states[regions[i].number];
      state.bits = (state.bits & ~uint32_t(kClearDepth)) | kKeysWaiting;
    });
  }
  b.sync();
  if (!complete) return true;
  const int shaded = resolve_samples(w, pass_of(0), samples, {w.index, b.warps}, t.quads, visit.shading);
  visit.counters.add(w, Counter::fragments_shaded, uint64_t(shaded));
  b.sync();
  if (b.leader()) {
    const uint32_t written = kKeysWaiting | (phase.key_bits & kKeyDepthOnly ? 0u : uint32_t(kClearColor));
    w.once([&] {
      for (uint32_t i = 0; i < samples; ++i) states[regions[i].number].bits &= ~written;
    });
  }
  return true;
}

// Rasterizes all pending elements of the phase; `complete`: no more will arrive. No warp reads the pending elements
// after the function's last barrier: the leader's answer about the last region, or the end of that region, follows all
// reads.
template <class Shared>
BROKKR_FN_NOINLINE void run_order_free(const Visit<Shared>& visit, uint32_t phase_number, bool complete) {
  Block<Shared>& b = visit.b;
  Warp& w = b.warp;
  const RasterTables& t = visit.t;
  const PhaseRecord& phase = t.frame.phases[phase_number];
  for (uint32_t i = visit.first_region(); i < visit.end_region(); ++i) {
    const RegionRecord& region = t.targets.regions_by_owner[i];
    if constexpr (kKernelFeatures & kFeatureSamples) {
      const uint32_t samples = t.targets.targets[region.target].samples;
      if (samples > 1) {
        if (!find_samples(visit, phase_number, complete, &region, samples)) break;
        i += samples - 1;
        continue;
      }
    }
    RegionState& state = t.targets.region_state[region.number];
    const bool waiting = (state.bits & kKeysWaiting) != 0;
    const bool touched = visit.state().pending > 0 && region_is_touched(visit, phase_number, region);
    const bool direct = complete && has_direct_keys(visit, phase_number, region);
    if (!touched && !direct && !(complete && waiting)) continue;
    if (visit.is_stopped()) break;
    const KeyPass pass{&t.targets, &region,          &visit.shared().keys,   visit.share(),  region.x,
                       region.y,   t.targets.region, t.targets.region_shift, phase.key_bits, t.cull_hidden};
    end_waiting_load(visit, region, kDepthLoadWaits);
    load_keys(w, pass);
    if (direct) move_direct_keys(w, pass);
    b.sync();
    const int covered = touched ? rasterize_pending(visit, phase_number, pass, AtCenter{}) : 0;
    b.sync();
    visit.counters.add(w, Counter::fragments, uint64_t(covered));
    visit.count_fragments(region, uint64_t(covered));
    if (complete) {
      const int shaded = resolve_region(w, pass, {w.index, b.warps}, t.quads, visit.shading);
      visit.counters.add(w, Counter::fragments_shaded, uint64_t(shaded));
    } else {
      save_keys(w, pass);
    }
    b.sync();
    if (b.leader()) {
      w.once([&] {
        if (complete) {
          const uint32_t written =
              kClearDepth | kKeysWaiting | (phase.key_bits & kKeyDepthOnly ? 0u : uint32_t(kClearColor | kLoadWaits));
          const uint32_t shown = is_shown_at_once(t.targets, region, phase.key_bits) ? kShown : 0u;
          state.bits = (state.bits & ~written) | shown;
          if (kNotesChanges) state.bits |= kChanged;
        } else {
          state.bits = (state.bits & ~uint32_t(kClearDepth)) | kKeysWaiting;
        }
      });
    }
  }
}

BROKKR_MACHINE_END
