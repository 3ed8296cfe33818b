// The direct path for small triangles. The warp that sets them up writes each sample's key immediately, to memory that
// all blocks share. These triangles need no store block, no queue and no visit before the end of their phase. Then
// their rasterizer merges their keys with its own keys by the minimum (move_direct_keys). A minimum does not depend on
// the order, so the picture is the same either way.
#pragma once

#include "bin/distribute.h"
#include "machine/machine.h"
#include "raster/raster_tables.h"
#include "raster/visibility.h"

BROKKR_MACHINE_BEGIN

// Triangles after setup, in registers, with the interface that rasterize_small reads. Lanes outside m have corners of
// 0, because products of large triangles overflow 32 bits.
struct SetupGroup {
  const Setup& setup;
  Mask m;

  BROKKR_FN Uint field(Warp&, RecordField which) const { return setup.field[which]; }
  BROKKR_FN Int x(Warp& w, int corner) const { return as_int(select(m, field(w, x_field(corner)), 0)); }
  BROKKR_FN Int y(Warp& w, int corner) const { return as_int(select(m, field(w, y_field(corner)), 0)); }
};

// A layer's samples in TargetTables::direct, for rasterize_small. Each triangle lies in at most 2 x 2 regions.
struct LayerSamples {
  Warp& w;
  KeyPlane plane;
  int shift, edge;              // binary logarithm of a region's edge, and the edge in pixels
  int regions_x, first_region;  // regions per row of the layer, and its first region
  Int x0, y0;                   // first sample of each lane's triangle
  Int column, line;             // region of that sample within the layer
  // The number of samples of each lane, one byte per region, row by row. kSmallBox guarantees that a byte suffices.
  Uint covered = 0;
  Uint byte_of_row = 0;  // 0 or 16

  BROKKR_FN Int row(int step) {
    const Int y = y0 + step, region = y >> shift;
    byte_of_row = as_uint(region - line) << 4;
    return ((region * regions_x + first_region) << (2 * shift)) + sample_row(y & (edge - 1), shift);
  }
  BROKKR_FN int take(Int row, int step, Uint depth, Uint order, Mask inside) {
    const Int x = x0 + step, region = x >> shift;
    plane.take_min_at(w, row + (region << (2 * shift)) + sample_column(x & (edge - 1)), depth, order, inside);
    const Uint byte = (byte_of_row + (as_uint(region - column) << 3)) & 31;
    covered = covered + select(inside, Uint(1) << byte, 0);
    return 0;
  }
};
static_assert((kSmallBox + 1) * (kSmallBox + 1) < 256);

// A distributor for geometry warps that draws the small triangles of RasterTables::direct_phase itself.
class DirectDistributor : public Distributor {
 public:
  BROKKR_FN DirectDistributor(const RasterTables& t, const Stock& stock, int tasks, const DistributionScratch& scratch,
                              Counters& counters)
      : Distributor({t.blocks, t.targets, t.queues, t.bits, t.abort}, stock, tasks, scratch, counters), t_(t) {}

  BROKKR_FN Mask draw_small(Warp& w, const DrawRecord& draw, const DrawTarget& place, const Setup& setup) {
    if (draw.phase != t_.direct_phase || !w.any(setup.valid)) return false;
    return draw_group(w, draw, place, setup);
  }

  // Call at the end of a task.
  BROKKR_FN void count(Warp& w, Counters& counters) const {
    if (drawn_ == 0) return;
    counters.add(w, Counter::triangles_direct, drawn_);
    counters.add(w, Counter::fragments, uint64_t(w.reduce_add(covered_)));
  }

 private:
  const RasterTables& t_;
  Int covered_ = 0;  // covered samples per lane
  uint32_t drawn_ = 0;

  // Draws the small triangles among setup.valid and returns their lanes.
  BROKKR_FN_NOINLINE Mask draw_group(Warp& w, const DrawRecord& run_draw, const DrawTarget& place, const Setup& setup) {
    const DrawRecord& draw = *TablePointer<const DrawRecord>(&run_draw);
    const RasterTables& t = *in_shared_memory(&t_);
    const int shift = t.targets.region_shift;
    const Box<Int> box = unpack_box(setup.field[kMin], setup.field[kMax]);
    const Int column = box.min_x >> shift, line = box.min_y >> shift;
    const Mask m = setup.valid && is_small(w, SetupGroup{setup, setup.valid}) && (box.max_x >> shift) - column <= 1 &&
                   (box.max_y >> shift) - line <= 1;
    if (!w.any(m)) return false;
    const TargetRecord& target = t.targets.targets[place.target];
    LayerSamples samples{w,
                         {t.targets.direct},
                         shift,
                         t.targets.region,
                         int(target.regions_x),
                         int(target.first_region + place.layer * target.regions_x * target.regions_y),
                         box.min_x,
                         box.min_y,
                         column,
                         line};
    const KeyRule rule{t.frame.phases[draw.phase].key_bits, draw.z_min, draw.z_max, (draw.bits & kDrawTopEdges) != 0};
    rasterize_small(w, SetupGroup{setup, m}, box, box, rule, samples);
    count_samples(w, samples, m);
    drawn_ += uint32_t(w.count(m));
    return m;
  }

  BROKKR_FN void count_samples(Warp& w, const LayerSamples& samples, Mask m) {
    const Uint bytes = select(m, samples.covered, 0);
    const Uint halves = (bytes & 0x00ff00ff) + ((bytes >> 8) & 0x00ff00ff);
    covered_ = covered_ + as_int((halves & 0xffff) + (halves >> 16));
    const Int region = samples.line * samples.regions_x + samples.column + samples.first_region;
    const uint32_t bits = w.ballot(m);
    const int first = w.broadcast(region, lowest_bit(bits));
    // Neighbouring triangles usually lie in one region.
    if (w.all(!m || (region == first && bytes < 256))) {
      const uint32_t all = w.reduce_add(bytes);
      if (all != 0) w.once([&] { add_fragments(first, all); });
      return;
    }
    const auto region_of = w.spill(region);
    const auto bytes_of = w.spill(bytes);
    w.for_lanes(bytes != 0, [&](int i) {
      for (int k = 0; k < 4; ++k) {
        const uint32_t n = (bytes_of[i] >> (8 * k)) & 255u;
        if (n != 0) add_fragments(region_of[i] + (k & 1) + (k >> 1) * samples.regions_x, n);
      }
    });
  }
  BROKKR_FN void add_fragments(int region, uint32_t n) const {
    device_atomic<uint64_t>(t_.region_fragments[region]).fetch_add(n, kRelaxed);
  }
};

BROKKR_MACHINE_END
