// An ordered phase of one rasterizer: elements below the watermark, sorted into submission order, drawn tile by tile.
#pragma once

#include "geometry/counters.h"
#include "raster/pending.h"
#include "raster/raster_shared.h"
#include "raster/sampled_tile.h"

BROKKR_MACHINE_BEGIN

// The key by which an ordered phase sorts. It consists of the element's task, its number within the task, and its index
// among the pending elements.
struct SortKey {
  static constexpr int kPlaceBits = 22, kSequenceBits = 10;
  static_assert(kPlaceBits + kSequenceBits == 32);

  BROKKR_FN static Ulong pack(Uint task, Uint sequence, Uint place) {
    return (Ulong(task) << 32) | (Ulong(sequence) << kPlaceBits) | Ulong(place);
  }
  BROKKR_FN static uint32_t place(uint64_t key) { return uint32_t(key) & ((1u << kPlaceBits) - 1u); }
};

// Sorts n keys with all warps of the block (bitonic, padded to a power of two with the largest key).
template <class Shared>
BROKKR_FN_NOINLINE void sort_keys(const Visit<Shared>& visit, uint64_t* keys, int n) {
  Block<Shared>& b = visit.b;
  Warp& w = b.warp;
  const auto [share, step] = visit.share();
  // Usually one producer runs at a time, so the keys are already in order.
  Mask wrong = false;
  for (int i = share; i + 1 < n; i += step) {
    const Mask m = w.first_lanes(n - 1 - i);
    wrong = wrong || (w.load(keys + i, m) > w.load(keys + i + 1, m, ~uint64_t(0)));
  }
  RasterShared& shared = visit.shared();
  if (b.leader()) w.once([&] { shared.flag = 0; });
  b.sync();
  if (w.any(wrong)) w.once([&] { block_atomic<uint32_t>(shared.flag).store(1, kRelaxed); });
  b.sync();
  if (shared.flag == 0) return;
  int padded = 1;
  while (padded < n) padded *= 2;
  for (int i = n + share; i < padded; i += step) w.store(keys + i, ~uint64_t(0), w.first_lanes(padded - i));
  b.sync();
  for (int size = 2; size <= padded; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      for (int i = share; i < padded / 2; i += step) {
        const Mask m = w.first_lanes(padded / 2 - i);
        const Int pair = w.lane() + i;
        const Int low = ((pair & ~(stride - 1)) << 1) | (pair & (stride - 1));
        const Int high = low | stride;
        const Ulong before = w.gather(keys, low, m), behind = w.gather(keys, high, m);
        const Mask up = (low & size) == 0;
        const Mask swap = m && ((up && before > behind) || (!up && before < behind));
        w.scatter(keys, low, behind, swap);
        w.scatter(keys, high, before, swap);
      }
      b.sync();
    }
  }
}

// Prefetches the part of a record that a tile reads, a little more than its first half. Many draws have only a few
// triangles.
template <class Record>
BROKKR_FN void prefetch_record(const Record& record) {
  const char* const bytes = reinterpret_cast<const char*>(&record);
  prefetch(bytes);
  prefetch(bytes + 64);
}
BROKKR_FN void prefetch_program(const ShadeContext& shading, const DrawRecord& draw) {
  if (draw.program != kNoProgram) prefetch_record(shading.programs->programs[draw.program]);
}

// Prepares the listed triangles; each warp does its part. Each lane first sets up one triangle, then all lanes together
// find the tiles of one triangle after another. If one lane works alone, it costs the warp as much as if all lanes work
// (docs/research/simt.md). kSampled: the region's pixels have several samples, which lie up to `reach` from the centre.
template <bool kSampled, class Shared>
BROKKR_FN void prepare_list(const Visit<Shared>& visit, const RegionRecord& region, uint32_t reach = 0) {
  Warp& w = visit.b.warp;
  TileList& list = visit.shared().list;
  const int warps = visit.b.warps, step = warps * w.width;
  for (int first = w.index; first < list.count; first += step) {
    const int end = list.count < first + step ? list.count : first + step;
    w.for_lanes(w.first_lanes((end - first + warps - 1) / warps), [&](int lane) {
      const int i = first + lane * warps;
      const uint32_t number = list.record[i];
      const TriangleBlock& block = visit.t.blocks[block_of_record(number)];
      list.draw[i] = block.draw;
      prefetch_record(visit.t.frame.draws[block.draw]);
      list.triangle[i] = region_triangle(block, int(place_of_record(number)), region.x, region.y);
    });
    w.sync();
    for (int i = first; i < end; i += warps) {
      if (visit.shading.shows_programs()) prefetch_program(visit.shading, visit.t.frame.draws[list.draw[i]]);
      TileMasks masks;
      if constexpr (kSampled)
        masks = sampled_tile_masks(w, list.triangle[i], visit.t.targets.region_shift, reach);
      else
        masks = tile_masks(w, list.triangle[i], visit.t.targets.region_shift, [](LaneTiles&) {});
      w.once([&] {
        for (int half = 0; half < 2; ++half) {
          list.touched[half][i] = uint32_t(masks.touched >> (32 * half));
          list.covered[half][i] = uint32_t(masks.covered >> (32 * half));
        }
      });
    }
  }
}

// The pending clears (RegionBit) that an ordered phase ends: those of the planes that its draws use. Others go on
// waiting.
BROKKR_FN uint32_t clears_of(const PhaseRecord& phase) {
  static_assert(kPlaneDepth == uint32_t(kClearDepth) && kPlaneStencil == uint32_t(kClearStencil));
  return kClearColor | phase.planes;
}

// The listed triangles in groups of the warp's width. On CPUs, it knows for each tile which groups have a triangle that
// touches the tile.
class ListGroups {
 public:
  // The list must be prepared (prepare_list).
  BROKKR_FN explicit ListGroups(const TileList& list) : listed_(list.count) {
    if constexpr (Warp::takes_turns) {
      for (uint64_t& groups : tile_groups_) groups = 0;
      for (int first = 0; first < listed_; first += Warp::width) {
        const int end = first + Warp::width < listed_ ? first + Warp::width : listed_;
        uint32_t low = 0, high = 0;
        for (int i = first; i < end; ++i) {
          low |= list.touched[0][i];
          high |= list.touched[1][i];
        }
        const uint64_t group = uint64_t(1) << uint32_t(first / Warp::width);
        for (uint64_t left = low | uint64_t(high) << 32; left != 0; left &= left - 1)
          tile_groups_[lowest_bit(left)] |= group;
      }
    }
  }
  // Calls look(g) for groups, in order; g is the number of the group's first triangle. `place`: the tile's bit in
  // TileMasks. On CPUs, it leaves out the groups that do not touch this tile.
  template <class Look>
  BROKKR_FN void each(int place, Look&& look) const {
    if constexpr (Warp::takes_turns) {
      for (uint64_t left = tile_groups_[place]; left != 0; left &= left - 1) look(lowest_bit(left) * Warp::width);
    } else {
      for (int g = 0; g < listed_; g += Warp::width) look(g);
    }
  }

 private:
  static constexpr int kTiles = Warp::takes_turns ? 64 : 1;
  static_assert(kListCapacity <= 64 * Warp::width || !Warp::takes_turns);
  int listed_;
  uint64_t tile_groups_[kTiles];
};

// Draws the listed triangles into the region's tiles; one warp draws a tile. Pending clears are merged into it. A
// picture that waits is loaded where something reads it.
template <class Shared>
BROKKR_FN_NOINLINE void draw_list(const Visit<Shared>& visit, const RegionRecord& region, uint32_t phase,
                                  TileCounts& counts) {
  Warp& w = visit.b.warp;
  const RasterTables& t = visit.t;
  const TileList& list = visit.shared().list;
  prepare_list<false>(visit, region);
  visit.b.sync();
  const int tiles_across = t.targets.region / kTile, tiles = tiles_across * tiles_across, listed = list.count;
  const ListGroups groups(list);
  const size_t base = first_sample(t.targets, region);
  const RegionState state = t.targets.region_state[region.number];
  TilePass pass{t.targets,
                region,
                visit.shading,
                visit.shared().tile[w.index],
                counts,
                format_of(t.targets, region),
                t.frame.phases[phase].planes};
  const auto load_picture = [&](int tile) {
    if constexpr (kLoadsCanWait) {
      if ((state.bits & kLoadWaits) != 0) load_waiting_tile(w, t.targets, region, t.frame, t.programs, tile);
    }
  };
  for (int tile = w.index; tile < tiles; tile += visit.b.warps) {
    const int column = tile & (tiles_across - 1), row = tile / tiles_across;
    const int place = row * 8 + column;  // bit in TileMasks
    const uint32_t bit = 1u << (place & 31);
    const uint32_t *touched = list.touched[place >> 5], *covered = list.covered[place >> 5];
    pass.x0 = column * kTile;
    pass.y0 = row * kTile;
    pass.memory = base + size_t(tile) * kTileSamples;
    bool loaded = false;
    ProgramBatch batch;
    groups.each(place, [&](int g) BROKKR_INLINE_LAMBDA {
      const Mask m = w.first_lanes(listed - g);
      const Mask hit = (w.load(touched + g, m) & bit) != 0;
      for (uint32_t bits = w.ballot(hit); bits != 0; bits &= bits - 1) {
        const int i = g + lowest_bit(bits);
        const DrawRecord& draw = t.frame.draws[list.draw[i]];
        const bool whole = (covered[i] & bit) != 0;
        if (!loaded) {
          const bool reads = !kLoadsCanWait || !whole || !replaces_colors(pass, draw);
          if (reads) load_picture(tile);
          load_tile(w, pass, state, reads);
        }
        loaded = true;
        if (runs_program(visit.shading, draw)) {
          draw_program_in_tile(w, pass, draw, list.triangle[i], whole, batch);
        } else {
          finish_batch(w, pass, batch);
          draw_in_tile(w, pass, draw, list.triangle[i], whole);
        }
      }
    });
    finish_batch(w, pass, batch);
    if (loaded) {
      store_tile(w, pass);
      continue;
    }
    load_picture(tile);
    const uint32_t cleared = state.bits & clears_of(t.frame.phases[phase]);
    if (Warp::takes_turns && cleared != 0)
      clear_samples(w, t.targets, state, cleared, {pass.memory, kTileSamples}, {0, w.width});
  }
}

// Does the same for pixels of several samples: `regions` are the regions of their samples.
template <class Shared>
BROKKR_FN_NOINLINE void draw_sampled_list(const Visit<Shared>& visit, const RegionRecord* regions, uint32_t samples,
                                          uint32_t phase, TileCounts& counts) {
  Warp& w = visit.b.warp;
  const RasterTables& t = visit.t;
  const TileList& list = visit.shared().list;
  prepare_list<true>(visit, regions[0], sample_reach(samples));
  visit.b.sync();
  const int tiles_across = t.targets.region / kTile, tiles = tiles_across * tiles_across, listed = list.count;
  const ListGroups groups(list);
  auto& memory = *reinterpret_cast<SampledTile*>(t.sampled_tiles.get() +
                                                 size_t(visit.b.index * visit.b.warps + w.index) * kSampledTileBytes);
  SampledPass pass{t.targets,
                   regions,
                   samples,
                   visit.shading,
                   memory,
                   counts,
                   format_of(t.targets, regions[0]),
                   t.frame.phases[phase].planes};
  w.once([&] {
    for (uint64_t& wanted : memory.wanted) wanted = 0;
  });
  for (int tile = w.index; tile < tiles; tile += visit.b.warps) {
    const int column = tile & (tiles_across - 1), row = tile / tiles_across;
    const int place = row * 8 + column;  // bit in TileMasks
    const uint32_t bit = 1u << (place & 31);
    const uint32_t *touched = list.touched[place >> 5], *covered = list.covered[place >> 5];
    pass.x0 = column * kTile;
    pass.y0 = row * kTile;
    pass.tile = tile;
    bool loaded = false;
    ProgramBatch batch;
    groups.each(place, [&](int g) BROKKR_INLINE_LAMBDA {
      const Mask m = w.first_lanes(listed - g);
      const Mask hit = (w.load(touched + g, m) & bit) != 0;
      for (uint32_t bits = w.ballot(hit); bits != 0; bits &= bits - 1) {
        const int i = g + lowest_bit(bits);
        for (uint32_t sample = 0; sample < samples && !loaded; ++sample)
          load_tile(w, pass.of_sample(sample), t.targets.region_state[regions[sample].number]);
        loaded = true;
        const DrawRecord& draw = t.frame.draws[list.draw[i]];
        const uint32_t number = list.record[i];
        const SampledTriangle tri{t.blocks[block_of_record(number)], int(place_of_record(number)), list.triangle[i],
                                  (covered[i] & bit) != 0};
        if (runs_program(visit.shading, draw)) {
          draw_program_in_tile(w, pass, draw, tri, batch);
        } else {
          finish_batch(w, pass, batch);
          draw_in_tile(w, pass, draw, tri);
        }
      }
    });
    finish_batch(w, pass, batch);
    for (uint32_t sample = 0; sample < samples; ++sample) {
      const TilePass tile_pass = pass.of_sample(sample);
      if (loaded) {
        store_tile(w, tile_pass);
        continue;
      }
      const RegionState& state = t.targets.region_state[regions[sample].number];
      const uint32_t cleared = state.bits & clears_of(t.frame.phases[phase]);
      if (Warp::takes_turns && cleared != 0)
        clear_samples(w, t.targets, state, cleared, {tile_pass.memory, kTileSamples}, {0, w.width});
    }
  }
}

// Collects the keys of the phase's pending elements with tasks below `before_task`, in no order. Returns their number.
template <class Shared>
BROKKR_FN int collect_eligible(const Visit<Shared>& visit, uint32_t phase, uint32_t before_task, uint64_t* keys) {
  Warp& w = visit.b.warp;
  const RasterTables& t = visit.t;
  const int count = int(visit.state().pending);
  if (visit.b.leader()) {
    int eligible = 0;
    for (int first = 0; first < count; first += w.width) {
      const PendingGroup group(w, t, visit.r, first, count);
      const Uint task = group.header(w, t, BlockWord::task);
      const Mask m = group.valid && group.header(w, t, BlockWord::phase) == phase && task < before_task;
      const Uint sequence = group.header(w, t, BlockWord::sequence);
      eligible += w.compress_store(keys + eligible, SortKey::pack(task, sequence, as_uint(w.lane() + first)), m);
    }
    w.once([&] { visit.shared().eligible = uint32_t(eligible); });
  }
  visit.b.sync();
  return int(visit.shared().eligible);
}

// The leader lists triangles that touch the region, in order from element `next` on, until the list is full. Returns
// the first element that it did not list.
template <class Shared>
BROKKR_FN int fill_list(const Visit<Shared>& visit, const RegionRecord& region, const uint64_t* keys, int next,
                        int eligible) {
  Warp& w = visit.b.warp;
  const RasterTables& t = visit.t;
  RasterShared& shared = visit.shared();
  visit.b.sync();
  if (visit.b.leader()) {
    const size_t base = size_t(visit.r) * t.store_blocks;
    const Box<int32_t> window = region_box(region, t.targets.region);
    int listed = 0, k = next > 0 && visit.warp_is_stopped() ? eligible : next;
    for (; k < eligible && listed + kBlockRecords <= kListCapacity; ++k) {
      const uint32_t place = SortKey::place(keys[k]);
      const uint32_t number = t.pending_block[base + place], mask = t.pending_mask[base + place];
      const TriangleBlock& block = t.blocks[number];
      if (block.target != region.target || block.layer != region.layer || !meet(block.box, window)) continue;
      for (int g = 0; g < kBlockRecords; g += w.width) {
        const RecordGroup records{block, g, lanes_of_group(w, mask, g)};
        const Mask here = records.m && meet(records.box(w), window);
        for (int f = 0; f < kRecordFields; ++f) prefetch(block.field[f] + g);  // prefetch for prepare_list
        const Uint entry = record_number(number, 0) + as_uint(w.lane() + g);
        listed += w.compress_store(shared.list.record + listed, entry, here);
      }
    }
    w.once([&] {
      shared.list.count = listed;
      shared.next = uint32_t(k);
    });
  }
  visit.b.sync();
  return int(shared.next);
}

// Draws the phase's pending elements with tasks below `before_task`.
template <class Shared>
BROKKR_FN_NOINLINE void run_ordered(const Visit<Shared>& visit, uint32_t phase, uint32_t before_task) {
  Block<Shared>& b = visit.b;
  Warp& w = b.warp;
  const RasterTables& t = visit.t;
  uint64_t* keys = t.sort_scratch + size_t(b.index) * t.sort_capacity;
  const int eligible = collect_eligible(visit, phase, before_task, keys);
  if (eligible == 0) return;
  sort_keys(visit, keys, eligible);

  TileCounts counts;
  for (uint32_t i = visit.first_region(); i < visit.end_region(); ++i) {
    const RegionRecord& region = t.targets.regions_by_owner[i];
    if ((kKernelFeatures & kFeatureSamples) && region.sample != 0) continue;  // drawn with sample 0
    if (!region_is_touched(visit, phase, region)) continue;
    if (visit.is_stopped()) break;
    if (t.frame.phases[phase].planes & kPlaneDepth) end_waiting_load(visit, region, kDepthLoadWaits);
    const uint64_t before = counts.fragments;
    if constexpr (kKernelFeatures & kFeatureSamples) {
      const uint32_t samples = t.targets.targets[region.target].samples;
      if (samples > 1) {
        const auto end = [&](auto&& end_one) {
          for (uint32_t sample = 0; sample < samples; ++sample) end_one((&region)[sample]);
        };
        const uint32_t waiting = clears_of(t.frame.phases[phase]);
        for (int next = 0; next < eligible;) {
          const bool is_first = next == 0;
          next = fill_list(visit, region, keys, next, eligible);
          const bool clears = Warp::takes_turns && is_first && next >= eligible;
          if (is_first && !clears)
            end([&](const RegionRecord& sample_region) { write_clears(visit, sample_region, waiting); });
          draw_sampled_list(visit, &region, samples, phase, counts);
          if (clears) end([&](const RegionRecord& sample_region) { end_clears(visit, sample_region, waiting); });
        }
        visit.count_fragments(region, counts.fragments - before);
        continue;
      }
    }
    for (int next = 0; next < eligible;) {
      const bool is_first = next == 0;
      next = fill_list(visit, region, keys, next, eligible);
      // If one list holds all triangles, each tile is written to memory only once, together with its clear. CUDA has
      // too few registers for this.
      const bool clears = Warp::takes_turns && is_first && next >= eligible;
      const uint32_t waiting = clears_of(t.frame.phases[phase]);
      if (is_first && !clears) write_clears(visit, region, waiting);
      draw_list(visit, region, phase, counts);
      if (clears)
        end_clears(visit, region, waiting | kLoadWaits);
      else if (kLoadsCanWait && is_first)
        end_clears(visit, region, kLoadWaits);
    }
    note_change(visit, region);
    visit.count_fragments(region, counts.fragments - before);
  }
  visit.counters.add(w, Counter::fragments, counts.fragments);
  visit.counters.add(w, Counter::fragments_shaded, counts.shaded);
  visit.counters.add(w, Counter::quads, counts.quads);
}

BROKKR_MACHINE_END
