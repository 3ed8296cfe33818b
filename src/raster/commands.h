// Clears and blits, each rasterizer for its own regions.
#pragma once

#include "raster/raster_shared.h"
#include "raster/raster_tables.h"

BROKKR_MACHINE_BEGIN

struct Position {
  Int x, y;
};

// Where samples s .. s + width - 1 of a region lie in its layer.
BROKKR_FN Position region_position(Warp& w, const TargetTables& t, const RegionRecord& region, int s) {
  const Int at = w.lane() + s;
  const Int tile = at >> 6;
  const int tiles_shift = t.region_shift - 3;
  return {tile_x(at & 63) + ((tile & ((1 << tiles_shift) - 1)) << 3) + region.x,
          tile_y(at & 63) + ((tile >> tiles_shift) << 3) + region.y};
}

BROKKR_FN Mask inside_rect(const Position& p, const int32_t (&rect)[4]) {
  return p.x >= rect[0] && p.x < rect[2] && p.y >= rect[1] && p.y < rect[3];
}

// Cleared samples have no writer any more.
BROKKR_FN void forget_writers(Warp& w, const TargetTables& t, const RegionRecord& region, const PhaseRecord& phase,
                              int first, int step) {
  uint32_t* planes[2] = {phase.planes & kPlaneColor ? t.visible_id : nullptr,
                         phase.planes & kPlaneDepth ? t.depth_id : nullptr};
  for (uint32_t* plane : planes) {
    if (plane == nullptr) continue;
    for (int s = first; s < t.region * t.region; s += step) {
      const Mask m = inside_rect(region_position(w, t, region, s), phase.rect);
      w.store(plane + size_t(region.number) * size_t(t.region * t.region) + size_t(s), kNoPrimitive, m);
    }
  }
}

// A clear of whole regions only notes the value; regions that the rectangle cuts are written at once.
template <class Shared>
BROKKR_FN_NOINLINE void run_clear(Block<Shared>& b, const RasterTables& t, uint32_t r, const PhaseRecord& phase) {
  Warp& w = b.warp;
  const int share = w.index * w.width, step = b.warps * w.width, edge = t.targets.region, samples = edge * edge;
  for (uint32_t i = t.targets.first_own_region[r]; i < t.targets.first_own_region[r + 1]; ++i) {
    const RegionRecord& region = t.targets.own_regions[i];
    if (region.target != phase.target) continue;
    const TargetRecord& target = t.targets.targets[region.target];
    const int right = region.x + edge < int(target.width) ? region.x + edge : int(target.width);
    const int top = region.y + edge < int(target.height) ? region.y + edge : int(target.height);
    if (phase.rect[0] >= right || phase.rect[1] >= top || phase.rect[2] <= region.x || phase.rect[3] <= region.y)
      continue;
    RegionState& state = t.targets.region_state[region.number];
    forget_writers(w, t.targets, region, phase, share, step);
    const bool whole =
        phase.rect[0] <= region.x && phase.rect[1] <= region.y && phase.rect[2] >= right && phase.rect[3] >= top;
    b.sync();
    if (whole) {
      if (b.leader()) {
        w.once([&] {
          state.bits |= phase.planes;
          if (phase.planes & kPlaneColor) state.color = phase.color;
          if (phase.planes & kPlaneDepth) state.depth = phase.depth;
          if (phase.planes & kPlaneStencil) state.stencil = phase.stencil;
        });
      }
    } else {
      materialize_clears(w, t.targets, region, phase.planes, share, step);
      b.sync();
      if (b.leader()) w.once([&] { state.bits &= ~phase.planes; });
      const size_t base = size_t(region.number) * size_t(samples);
      for (int s = share; s < samples; s += step) {
        const Mask m = inside_rect(region_position(w, t.targets, region, s), phase.rect);
        if (phase.planes & kPlaneColor) {
          w.store(t.targets.color + base + s, uint32_t(phase.color), m);
          if (t.targets.color_high) w.store(t.targets.color_high + base + s, uint32_t(phase.color >> 32), m);
        }
        if (phase.planes & kPlaneDepth) w.store(t.targets.depth + base + s, phase.depth, m);
        if (phase.planes & kPlaneStencil)
          w.for_lanes(m, [&](int lane) { t.targets.stencil[base + size_t(s + lane)] = uint8_t(phase.stencil); });
      }
    }
    b.sync();
  }
}

// Where sample (x, y) of a target's layer 0 lies in the planes.
BROKKR_FN Int sample_address(const TargetTables& t, const TargetRecord& target, Int x, Int y) {
  const int shift = t.region_shift;
  const Int region = (y >> shift) * int(target.regions_x) + (x >> shift) + int(target.first_region);
  const int inside = t.region - 1;
  return (region << (2 * shift)) + region_sample(x & inside, y & inside, shift);
}

// Copies the rasterizer's share of a blit's destination; nearest sampling. All sources stand in memory.
template <class Shared>
BROKKR_FN_NOINLINE void copy_share(Block<Shared>& b, const RasterTables& t, uint32_t r, const PhaseRecord& phase) {
  Warp& w = b.warp;
  const TargetTables& planes = t.targets;
  const int share = w.index * w.width, step = b.warps * w.width, edge = planes.region, samples = edge * edge;
  const TargetRecord& source = planes.targets[phase.source_target];
  const TargetRecord& target = planes.targets[phase.target];
  const int dx = phase.destination[0], dy = phase.destination[1], dw = phase.destination[2], dh = phase.destination[3];
  for (uint32_t i = planes.first_own_region[r]; i < planes.first_own_region[r + 1]; ++i) {
    const RegionRecord& region = planes.own_regions[i];
    if (region.target != phase.target || region.layer != 0) continue;
    const size_t base = size_t(region.number) * size_t(samples);
    for (int s = share; s < samples; s += step) {
      const Position position = region_position(w, planes, region, s);
      const Int x = position.x, y = position.y;
      const Float u = (to_float(x - dx) + 0.5f) / float(dw), v = (to_float(y - dy) + 0.5f) / float(dh);
      const Int from_x = phase.source[0] + to_int(floor(u * float(phase.source[2])));
      const Int from_y = phase.source[1] + to_int(floor(v * float(phase.source[3])));
      const Mask m = u > 0.0f && u < 1.0f && v > 0.0f && v < 1.0f && x < int(target.width) && y < int(target.height) &&
                     from_x >= 0 && from_x < int(source.width) && from_y >= 0 && from_y < int(source.height);
      if (!w.any(m)) continue;
      const Int from = select(m, sample_address(planes, source, from_x, from_y), 0);
      if (phase.planes & kPlaneColor) {
        Uint low = w.gather(planes.color, from, m),
             high = planes.color_high ? w.gather(planes.color_high, from, m) : Uint(0u);
        if (source.format != target.format) {
          const Stored c = store_color(target.format, load_color(source.format, low, high));
          low = c.low;
          high = c.high;
        }
        w.store(planes.color + base + s, low, m);
        if (planes.color_high) w.store(planes.color_high + base + s, high, m);
        if (planes.visible_id) w.store(planes.visible_id + base + s, w.gather(planes.visible_id, from, m), m);
      }
      if (phase.planes & kPlaneDepth) {
        w.store(planes.depth + base + s, w.gather(planes.depth, from, m), m);
        if (planes.depth_id) w.store(planes.depth_id + base + s, w.gather(planes.depth_id, from, m), m);
      }
      if (phase.planes & kPlaneStencil) {
        const auto from_of = w.spill(from);
        w.for_lanes(m, [&](int lane) { planes.stencil[base + size_t(s + lane)] = planes.stencil[from_of[lane]]; });
      }
    }
  }
}

// Everything of the rasterizer's own that still waits to be cleared.
template <class Shared>
BROKKR_FN void materialize_own(Block<Shared>& b, const RasterTables& t, uint32_t r, uint32_t target) {
  Warp& w = b.warp;
  for (uint32_t i = t.targets.first_own_region[r]; i < t.targets.first_own_region[r + 1]; ++i) {
    const RegionRecord& region = t.targets.own_regions[i];
    if (target != 0xffffffffu && region.target != target) continue;
    RegionState& state = t.targets.region_state[region.number];
    if (state.bits == 0) continue;
    materialize_clears(w, t.targets, region, state.bits, w.index * w.width, b.warps * w.width);
    b.sync();
    if (b.leader()) w.once([&] { state.bits &= ~uint32_t(kClearColor | kClearDepth | kClearStencil); });
    b.sync();
  }
}

// A blit reads regions of other rasterizers: all of them arrive before one copies, and all have copied before one goes
// on. Returns whether it is over; if not, the rasterizer is to be visited again.
template <class Shared>
BROKKR_FN_NOINLINE bool run_blit(Block<Shared>& b, const RasterTables& t, uint32_t r, const PhaseRecord& phase) {
  Warp& w = b.warp;
  RasterShared& shared = b.shared->raster;
  RasterizerState& state = t.rasterizers[r];
  uint32_t* gate = t.gates + size_t(phase.gate) * 2;
  for (;;) {
    b.sync();
    const uint32_t at = state.gate_step;
    if (at == 0) {
      materialize_own(b, t, r, phase.source_target);
      materialize_own(b, t, r, phase.target);
    } else if (at == 2) {
      copy_share(b, t, r, phase);
    }
    b.sync();
    if (b.leader()) {
      w.once([&] {
        if (at == 0 || at == 2) device_atomic<uint32_t>(gate[at / 2]).fetch_add(1, kAcqRel);
        const bool open =
            (at & 1u) == 0 || device_atomic<uint32_t>(gate[at / 2]).load(kAcquire) >= t.targets.rasterizers;
        shared.flag = open ? 1u : 0u;
        if (open) state.gate_step = at == 3 ? 0u : at + 1;
      });
    }
    b.sync();
    if (shared.flag == 0) return false;
    if (at == 3) return true;
  }
}

BROKKR_MACHINE_END
