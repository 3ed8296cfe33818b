// The launch as a hierarchy of buckets (schedule/task_tree.h) [Kerbl18, 5.2]. Its leaves are not task queues. One leaf
// is geometry, which is admitted in order. Each rasterizer is another leaf, which reports the number of elements in its
// queue. A policy is a tree, and a launch selects one.
#pragma once

#include "geometry/features.h"
#include "raster/rasterizer.h"
#include "schedule/policies.h"
#include "schedule/rasterizer_bits.h"
#include "schedule/watermark.h"

BROKKR_MACHINE_BEGIN

// The report that geometry sends to its bucket.
enum class GeometryReport : uint64_t {
  none,   // no task can start
  tight,  // less than 1 / kAmpleShare of the store is free
  ample,
};

// The report that a rasterizer sends to its bucket. More work gives a larger value.
struct RasterizerReport {
  static constexpr uint64_t kNone = 0;  // it cannot continue
  // It can continue without new elements: its phase is complete and must be resolved, a gate has opened, or it has not
  // been visited yet.
  static constexpr uint64_t kAwake = 1;  // plus one per waiting element
};

// The words from which a rasterizer's report is computed, one rasterizer per lane.
struct RasterizerWords {
  Mask free;  // no block works for it
  Uint wake;  // RasterizerState::wake
  Int waiting;
};

// The launch as the buckets of a tree see it.
struct LaunchView {
  const RasterTables& tables;
  const ScheduleTables& schedule;
  uint64_t* shared;  // ScheduleControl::share
  uint32_t* local;   // TreeMemory
  int block, blocks;
  uint64_t now = 0;
  LaunchStatus status{};
  Watermark mark{};
  bool aborted = false;
  bool geometry_refused = false;

  BROKKR_FN GeometryReport geometry() const {
    if (aborted || geometry_refused || status.next_task >= schedule.tasks) return GeometryReport::none;
    const uint32_t shared_blocks = tables.store_blocks - uint32_t(blocks) * tables.stock.keep;
    const bool ample = uint32_t(status.free_blocks) * kAmpleShare >= shared_blocks;
    return ample ? GeometryReport::ample : GeometryReport::tight;
  }
  // Returns true if elements may still arrive and nothing else gives a rasterizer work (RasterizerBitTables::filled).
  BROKKR_FN bool filling() const { return !aborted && mark.batches < schedule.batches; }
  // Reads the words of rasterizers r_i in lanes m. Other lanes count as not free. This function does not wait for the
  // loads.
  BROKKR_FN RasterizerWords read(Warp& w, Int r, Mask m) const {
    auto claimed = w.spill(1u), wake = w.spill(0u);
    auto waiting = w.spill(0);
    const auto r_of = w.spill(r);
    w.for_lanes(m, [&](int i) {
      RasterizerState& state = tables.rasterizers[r_of[i]];
      claimed.set(i, RasterizerBits(tables.bits).is_claimed(uint32_t(r_of[i])) ? 1u : 0u);
      wake.set(i, device_atomic<uint32_t>(state.wake).load(kRelaxed));
      waiting.set(i, Broker(tables.queues.control[r_of[i]], tables.queues.capacity).available());
    });
    return {claimed.lanes() == 0, wake.lanes(), waiting.lanes()};
  }
  // Lanes whose rasterizer waits at a door that is open.
  BROKKR_FN Mask gate_is_open(Warp& w, Uint wake, Mask m) const {
    auto open = w.spill(0u);
    const auto wake_of = w.spill(wake);
    w.for_lanes(m, [&](int i) {
      const uint32_t door = wake_of[i] - kAtGate;
      BlitGate& gate = tables.gates[door >> 1];
      const uint32_t word = device_atomic<uint32_t>(door & 1 ? gate.copied : gate.arrived).load(kRelaxed);
      open.set(i, (word & kDoorIsOpen) != 0 ? 1u : 0u);
    });
    return open.lanes() != 0;
  }
  // The RasterizerReport of each lane.
  BROKKR_FN Ulong report(Warp& w, const RasterizerWords& words) const {
    // In an aborted frame, every rasterizer resolves what it has.
    const Mask awake = words.wake <= mark.batches || Mask(aborted);
    const Ulong idle = select(awake, Ulong(RasterizerReport::kAwake), RasterizerReport::kNone);
    const Ulong busy = Ulong(as_uint(words.waiting)) + RasterizerReport::kAwake;
    const Ulong report = select(words.free, select(words.waiting > 0, busy, idle), RasterizerReport::kNone);
    if constexpr (kKernelFeatures & (kFeatureBlits | kFeaturePrograms)) {
      const Mask at_gate = words.free && words.wake >= kAtGate && !Mask(aborted);
      if (w.any(at_gate))
        return select(
            at_gate,
            select(gate_is_open(w, words.wake, at_gate), Ulong(RasterizerReport::kAwake), RasterizerReport::kNone),
            report);
    }
    return report;
  }
};

struct LaunchSource {
  static constexpr bool kIsLeaf = false, kSorted = false;
  static constexpr int kShared = 0, kLocal = 0, kPayloadWords = 1;
  template <class Task>
  static constexpr bool kAccepts = false;
  template <class View>
  BROKKR_FN static void init(const View&, const TreePlace&, uint32_t) {}
  template <class View, class F, class G>
  BROKKR_FN static void walk(const View&, const TreePlace&, int, F&&, G&&) {}
};

struct Geometry : LaunchSource {
  static constexpr int kLeaves = 1;
  template <class View>
  BROKKR_FN static Choice choose(Warp&, const View& view, const TreePlace& place) {
    const uint64_t info = uint64_t(view.geometry());
    return {info, info == 0 ? kNoLeaf : place.leaf};
  }
};

// Tells where a circular search over all rasterizers, in groups of `step`, may find work. Each lane holds one word of
// bits; together they cover about kSeen groups from rasterizer `first_asked` on. The search skips groups without a set
// bit.
struct SearchAhead {
  static constexpr int kSeen = 4;
  Uint word = 0;  // RasterizerBits::may_have_work
  Int first = 0;  // the first rasterizer of the word

  BROKKR_FN void look(Warp& w, const LaunchView& view, int first_asked) {
    const int rasterizers = int(view.schedule.rasterizers), words = (rasterizers + 31) >> 5;
    Int i = w.lane() + (first_asked >> 5);
    i = select(i >= words, i - words, i);
    const Mask m = w.first_lanes(words);
    first = select(m, i << 5, 0);
    auto bits = w.spill(0u);
    const auto i_of = w.spill(i);
    const RasterizerBits all_bits(view.tables.bits);
    const bool filling = view.filling();
    w.for_lanes(m, [&](int lane) { bits.set(lane, all_bits.may_have_work(uint32_t(i_of[lane]), filling)); });
    const Int behind = rasterizers - first;  // the last word may hold fewer than 32
    word = bits.lanes() & select(behind < 32, (Uint(1) << as_uint(behind & 31)) - 1, 0xffffffffu);
  }
  // Returns true if group g of a search that starts at rasterizer `begin` has a set bit.
  BROKKR_FN bool any(Warp& w, int begin, int g, int step, int rasterizers) const {
    Int distance = first - begin;
    distance = select(distance < 0, distance + rasterizers, distance);
    // The word with the search's first rasterizer also holds its last ones, so its end belongs to the last groups.
    const Mask near = (distance < g + step && distance + 32 > g) || distance + 32 - rasterizers > g;
    return w.any(word != 0 && near);
  }
};

// A bucket with one child per rasterizer of this block: with fixed ownership, block i works for rasterizers i, i +
// blocks, ... The search starts after the last visited rasterizer. It ends once it has found one among
// Callbacks::kEnough rasterizers. The nearest rasterizers are read together with the bits of all rasterizers, which
// tell which others to read. Only a visit moves the cursor. Otherwise a policy that weighs rasterizers against geometry
// would skip every other rasterizer, and those would never reach their gate.
template <class Callbacks>
struct Rasterizers : LaunchSource {
  static constexpr int kLeaves = 1 << 16, kLocal = 1;

  template <class View>
  BROKKR_FN static Choice choose(Warp& w, const View& view, const TreePlace& place) {
    const ScheduleTables& schedule = view.schedule;
    const int own = children(schedule, view.block, view.blocks);
    if (own <= 0) return {};
    const BucketState state{view.shared, view.local, own, view.now, schedule.ranks};
    const int begin = int(w.uniform([&]() -> uint32_t { return view.local[place.local]; }));
    uint64_t best = 0;
    Choice choice;
    const int step = kAskedTogether * w.width;
    // Once all elements are in their queues, all rasterizers without elements are equally good.
    const auto is_enough = [&](int asked) {
      return best != 0 && (asked >= Callbacks::kEnough || (best == RasterizerReport::kAwake && !view.filling()));
    };
    const bool ahead = schedule.stealing && own > step;
    SearchAhead search;
    for (int g = 0; g < own && !is_enough(g); g += step) {
      if (ahead && g % (SearchAhead::kSeen * step) == 0)
        search.look(w, view, g + begin < own ? g + begin : g + begin - own);
      if (ahead && g > 0 && !search.any(w, begin, g, step, own)) continue;
      Int r[kAskedTogether];
      RasterizerWords words[kAskedTogether];
      for (int k = 0; k < kAskedTogether; ++k) {
        const int offset = g + k * w.width;
        Int nth = w.lane() + (offset + begin);
        nth = select(nth >= own, nth - own, nth);
        const Mask m = w.first_lanes(own - offset) && nth < own;
        // Lanes without a rasterizer read the first one, because callbacks may read tables.
        r[k] = select(m, schedule.stealing ? nth : nth * view.blocks + view.block, 0);
        words[k] = view.read(w, r[k], m);
      }
      // The best rasterizer that each lane has seen.
      Ulong best_score = 0, report = 0;
      Int child = 0, asked = step;
      for (int k = 0; k < kAskedTogether; ++k) {
        const Ulong info = view.report(w, words[k]);
        const Ulong score = select(info == RasterizerReport::kNone, 0, Callbacks::propagate(state, r[k], info));
        const Mask better = score > best_score;
        best_score = select(better, score, best_score);
        report = select(better, info, report);
        child = select(better, r[k], child);
        asked = select(better, w.lane() + k * w.width, asked);
      }
      const uint64_t top = w.reduce_max(best_score);
      if (top > best) {
        best = top;
        // Among equals, take the first one after the cursor.
        const int lane = w.reduce_min(select(best_score == top, asked, step)) % w.width;
        choice = {w.broadcast(report, lane), place.leaf + w.broadcast(child, lane)};
      }
    }
    return choice;
  }
  // Moves the cursor to the visited rasterizer.
  template <class View, class F, class G>
  BROKKR_FN static void walk(const View& view, const TreePlace& place, int leaf, F&&, G&&) {
    const ScheduleTables& schedule = view.schedule;
    const int r = leaf - place.leaf, next = (schedule.stealing ? r : (r - view.block) / view.blocks) + 1;
    view.local[place.local] = next < children(schedule, view.block, view.blocks) ? uint32_t(next) : 0u;
  }
  template <class View>
  BROKKR_FN static void init(const View& view, const TreePlace& place, uint32_t block) {
    // Blocks start their searches at different rasterizers.
    const ScheduleTables& schedule = view.schedule;
    view.local[place.local] = schedule.stealing ? block * schedule.rasterizers / uint32_t(view.blocks) : 0u;
  }

 private:
  BROKKR_FN static int children(const ScheduleTables& schedule, int block, int blocks) {
    const int all = int(schedule.rasterizers);
    return schedule.stealing ? all : (all - block + blocks - 1) / blocks;
  }
};

// Prefers long queues among the first rasterizers found: a visit moves a region's keys, which pays off only with many
// triangles.
struct LongestNearby : BucketDefaults {
  static constexpr int kEnough = kEnoughRasterizers;
  BROKKR_FN static Ulong propagate(const BucketState&, Int, Ulong info) { return info; }
};

// Prefers the least rank.
struct LeastRank : BucketDefaults {
  static constexpr int kEnough = 1 << 30;
  BROKKR_FN static Ulong propagate(const BucketState& state, Int child, Ulong) {
    return (uint64_t(1) << 33) - Ulong(Warp::gather(state.ranks, child, true));
  }
};

// Ranks are microseconds. The earliest future deadline comes first, then deadlines that have passed. Otherwise the
// order is that of LeastRank.
struct NextDeadline : BucketDefaults {
  static constexpr int kEnough = 1 << 30;
  BROKKR_FN static Ulong propagate(const BucketState& state, Int child, Ulong) {
    const Uint deadline = Warp::gather(state.ranks, child, true);
    const Mask late = deadline < uint32_t(state.now / 1000);
    return select(late, uint64_t(1) << 33, uint64_t(1) << 34) - Ulong(deadline);
  }
};

// Prefers geometry while at least 1 / kAmpleShare of the store is free.
struct FillLevel : BucketDefaults {
  BROKKR_FN static bool settles(const BucketState&, int child, uint64_t info) {
    return child == kGeometryChild && info == uint64_t(GeometryReport::ample);
  }
  BROKKR_FN static Ulong propagate(const BucketState&, Int child, Ulong) { return to_ulong(child + 1); }
};

// A policy: which stage comes next, and which rasterizer. The leaves are geometry, then the rasterizers.
template <class Callbacks, class Order = LongestNearby>
using Stages = Bucket<Callbacks, Geometry, Rasterizers<Order>>;
BROKKR_CONSTANT int kGeometryLeaf = 0, kFirstRasterizerLeaf = Geometry::kLeaves;

// The memory of a block's tree: the maximum over all policies, in words.
struct TreeMemory {
  uint32_t word[2];

  template <class Tree>
  static constexpr bool kFits =
      Tree::kLocal <= int(sizeof(word) / sizeof(uint32_t)) && Tree::kShared <= int(sizeof(ScheduleControl::share) /
                                                                                   sizeof(uint64_t));
};

// Calls f(tree) with the policy's tree.
template <class F>
BROKKR_FN void with_tree(Policy policy, F&& call) {
  const auto f = [&](auto tree) {
    static_assert(TreeMemory::kFits<decltype(tree)>);
    call(tree);
  };
  if constexpr ((kKernelFeatures & kFeaturePolicies) == 0) return f(Stages<FillLevel>{});
  switch (policy) {
    case Policy::fill_level: return f(Stages<FillLevel>{});
    case Policy::geometry_first: return f(Stages<FirstFirst<ByTask>>{});
    case Policy::raster_first: return f(Stages<LastFirst<ByTask>>{});
    case Policy::round_robin: return f(Stages<RoundRobin<ByTask>>{});
    case Policy::fair: return f(Stages<FairShare<ByTask>>{});
    case Policy::edf: return f(Stages<FirstFirst<ByTask>, NextDeadline>{});
    case Policy::priority:
    case Policy::foveated: return f(Stages<FirstFirst<ByTask>, LeastRank>{});
  }
}

BROKKR_MACHINE_END
