// A block's shared storage for rasterization.
#pragma once

#include "geometry/counters.h"
#include "raster/constants.h"
#include "raster/load.h"
#include "raster/raster_tables.h"
#include "raster/tile.h"
#include "schedule/stock.h"

BROKKR_MACHINE_BEGIN

#if defined(__CUDACC__)
BROKKR_CONSTANT int kMaxWarps = 8;
#else
inline constexpr int kMaxWarps = kWidth == 32 ? 8 : 1;
#endif

// The number of a record in the triangle store.
BROKKR_FN uint32_t record_number(uint32_t block, uint32_t record) { return block * kBlockRecords + record; }
BROKKR_FN uint32_t block_of_record(uint32_t number) { return number / kBlockRecords; }
BROKKR_FN uint32_t place_of_record(uint32_t number) { return number % kBlockRecords; }

struct TileList {
  uint32_t record[kListCapacity + kWidth];  // record_number
  uint32_t draw[kListCapacity];             // index into FrameTables::draws
  RegionTriangle triangle[kListCapacity];
  // The tiles that each triangle touches and covers: TileMasks split into words of 32 tiles.
  uint32_t touched[2][kListCapacity + kWidth];
  uint32_t covered[2][kListCapacity + kWidth];
  int32_t count;
};

static_assert(sizeof(TileList) <= sizeof(RegionKeys), "kListCapacity");

struct RasterShared {
  union {
    RegionKeys keys;  // order-free phases
    TileList list;    // ordered phases
  };
  TileBuffer tile[kMaxWarps];
  uint32_t flag;      // the leader's answer, for all warps
  uint32_t eligible;  // elements that an ordered phase draws in this visit
  uint32_t next;      // the first eligible element that is not listed
};

// A launch's watermark at the time of one visit. It is read before the queue is drained, so all elements of tasks below
// it have arrived.
struct Watermark {
  uint32_t tasks;    // all tasks before this one are complete
  uint32_t batches;  // the same in batches; the frame's number of batches after geometry has ended
};

// A block's visit to rasterizer r, as each warp sees it.
template <class Shared>
struct Visit {
  Block<Shared>& b;
  const RasterTables& t;
  uint32_t r;
  Watermark mark;
  bool ending;  // the frame is being cut off
  uint32_t task_batches;
  ShadeContext& shading;
  Counters& counters;

  BROKKR_FN RasterShared& shared() const { return b.shared->raster; }
  BROKKR_FN RasterizerState& state() const { return t.rasterizers[r]; }
  BROKKR_FN Share share() const { return share_of_samples(b); }
  BROKKR_FN Stock stock() const { return {t.stock, b.shared->stock}; }
  // The rasterizer's own regions are first .. end - 1 of TargetTables::regions_by_owner.
  BROKKR_FN uint32_t first_region() const { return t.targets.first_region_of_owner[r]; }
  BROKKR_FN uint32_t end_region() const { return t.targets.first_region_of_owner[r + 1]; }

  // The leader computes an answer with f(), and all warps receive it.
  template <class F>
  BROKKR_FN bool ask_leader(F&& f) const {
    b.sync();
    if (b.leader()) {
      const bool yes = f();
      b.warp.once([&] { shared().flag = yes ? 1u : 0u; });
    }
    b.sync();
    return shared().flag != 0;
  }
  // Returns true if the launch must end immediately, because the rest of an aborted frame took too long. A warp asks
  // before each piece of work, which takes milliseconds at most, so that no visit delays the end.
  BROKKR_FN bool warp_is_stopped() const {
    b.warp.host_turn();
    return b.warp.uniform([&] { return system_atomic<uint32_t>(*t.abort).load(kRelaxed); }) >= kAbortLeave;
  }
  BROKKR_FN bool is_stopped() const {
    return ask_leader([&] { return warp_is_stopped(); });
  }
  // Counts the samples that the warp has covered in a region.
  BROKKR_FN void count_fragments(const RegionRecord& region, uint64_t covered) const {
    b.warp.once([&] {
      device_atomic<uint64_t>(t.region_fragments[region.number]).fetch_add(covered, kRelaxed);
      device_atomic<uint64_t>(state().fragments).fetch_add(covered, kRelaxed);
    });
  }
};

// Call after pending clears of the planes `which` have been written.
template <class Shared>
BROKKR_FN void end_clears(const Visit<Shared>& visit, const RegionRecord& region, uint32_t which) {
  visit.b.sync();
  if (visit.b.leader()) visit.b.warp.once([&] { visit.t.targets.region_state[region.number].bits &= ~which; });
}

// Writes the region's pending clears of the planes `which` (RegionBit) to memory and records this. Called by all warps.
template <class Shared>
BROKKR_FN void write_clears(const Visit<Shared>& visit, const RegionRecord& region, uint32_t which) {
  materialize_clears(visit.b.warp, visit.t.targets, region, which, visit.share());
  end_clears(visit, region, which);
}

// True if regions note that their first colour changes (kChanged). On CUDA every publication copies all regions.
inline constexpr bool kNotesChanges = Warp::takes_turns && (kKernelFeatures & kFeaturePrograms) != 0;

// Notes that the region's first colour changes. Called by all warps; the caller's next barrier completes it.
template <class Shared>
BROKKR_FN void note_change(const Visit<Shared>& visit, const RegionRecord& region) {
  if constexpr (kNotesChanges) {
    visit.b.sync();
    if (visit.b.leader()) visit.b.warp.once([&] { visit.t.targets.region_state[region.number].bits |= kChanged; });
  }
}

// Loads the pictures that wait for the region, if any of `which` (kLoadWaits, kDepthLoadWaits) do. Called by all warps,
// which all see the loaded samples.
template <class Shared>
BROKKR_FN void end_waiting_load(const Visit<Shared>& visit, const RegionRecord& region,
                                uint32_t which = kLoadWaits | kDepthLoadWaits) {
  if constexpr (kLoadsCanWait) {
    const RegionState state = visit.t.targets.region_state[region.number];
    for (const uint32_t bit : {kLoadWaits, kDepthLoadWaits}) {
      if ((state.bits & which & bit) == 0) continue;
      const uint64_t phase = bit == kLoadWaits ? state.color : waiting_depth_load(state);
      PictureLoad(visit.t.targets, region, visit.t.frame.phases[phase], visit.t.programs.loads)
          .load_region(visit.b.warp, visit.share());
      end_clears(visit, region, bit);
      visit.b.sync();
    }
  }
}

// The pictures (kLoadWaits, kDepthLoadWaits) of planes (PlaneBit).
BROKKR_FN uint32_t loads_of(uint32_t planes) {
  return (planes & kPlaneColor ? uint32_t(kLoadWaits) : 0u) | (planes & kPlaneDepth ? uint32_t(kDepthLoadWaits) : 0u);
}

BROKKR_MACHINE_END
