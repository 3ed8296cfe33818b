// The REYES loop as a task program over hierarchical bucket queues [Kerbl18, 5.4.1, Fig. 5.10b].
//
//   bound ─► split along u │ split along v ─► bound … ─► dice ─► shade
//
//   first   shade, dice and the bounds of whole patches: ready work is finished before anything is split
//   then    splits, in kPriorityBuckets discretized priorities, whose upper bound may follow the queued priorities
//           (DecreasingPriorities); each priority alternates between both directions
//
// A piece too large for one grid is split only if the split is likely to run so early that the frame, including all
// work after the splits, ends before the deadline; otherwise it is diced as it is. The same happens to a queued split
// whose time has passed when its turn comes. No work is lost: a task that finds its queue full is executed at once by
// the worker that created it.
#pragma once

#include "reyes/edge_table.h"
#include "reyes/reyes_plan.h"
#include "reyes/stitch.h"
#include "reyes/surface.h"
#include "schedule/policies.h"
#include "schedule/task_loop.h"

BROKKR_MACHINE_BEGIN
namespace reyes {

BROKKR_FN void count_lanes(Warp& w, uint32_t& word, Mask m) {
  const uint32_t lanes = uint32_t(w.count(m));
  if (lanes == 0) return;
  w.once([&] { device_atomic<uint32_t>(word).fetch_add(lanes, kRelaxed); });
}

// Pieces of patches, one per lane: the three words of a payload.
struct Pieces {
  Uint patch, corner, shape;
};

struct Program {
  const ReyesPlan& plan;
  template <class Worker>
  BROKKR_FN void seed(Worker& worker);
};

// Computes points and colours of one grid with a whole warp.
template <class Worker>
BROKKR_FN void shade(Worker& worker, uint32_t number) {
  Warp& w = worker.warp();
  const ReyesPlan& plan = worker.context().plan;
  const GridRecord grid = plan.grids[number];
  const uint32_t dice_u = grid.shape >> 8 & 15u, dice_v = grid.shape >> 12 & 15u, columns = (1u << dice_u) + 1;
  const uint32_t points = columns * ((1u << dice_v) + 1);
  const uint32_t step_u = kParameterOne >> (grid.shape & 15u) >> dice_u;
  const uint32_t step_v = kParameterOne >> (grid.shape >> 4 & 15u) >> dice_v;
  for (uint32_t first = 0; first < points; first += uint32_t(kWidth)) {
    const Uint k = as_uint(w.lane()) + Uint(first);
    const Mask m = k < Uint(points);
    const Uint row = k / Uint(columns), column = k - row * Uint(columns);
    const Uint u = Uint(grid.corner & 0xffffu) + column * Uint(step_u),
               v = Uint(grid.corner >> 16) + row * Uint(step_v);
    write_points(w, plan, {grid.patch, u, v}, grid.shape, as_int(k + Uint(grid.first_point)), m);
  }
}

struct ShadeTask {
  static constexpr int kId = 0, kThreads = 32, kWords = 1;
  template <class Worker>
  BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int thread, Mask active) {
    Warp& w = worker.warp();
    // the whole warp runs this, whatever its width
    if (w.any(active && thread == Int(0))) shade(worker, w.broadcast(payload[0], 0));
  }
};

// Makes grids of the pieces: reserves a place, marks the edges, and enqueues a task to shade it.
template <class Worker>
BROKKR_FN void dice(Worker& worker, const Pieces& pieces, Mask m) {
  Warp& w = worker.warp();
  const ReyesPlan& plan = worker.context().plan;
  const EdgeTable table(plan);
  const auto patch = w.spill(pieces.patch), corner = w.spill(pieces.corner), shape = w.spill(pieces.shape);
  auto place = w.spill(0u), kept = w.spill(0u);
  w.for_lanes(m, [&](int i) {
    ReyesCounts& counts = *plan.counts;
    const uint32_t its = shape[i], dice_u = its >> 8 & 15u, dice_v = its >> 12 & 15u;
    const uint32_t points = ((1u << dice_u) + 1) * ((1u << dice_v) + 1);
    const uint32_t first = device_atomic<uint32_t>(counts.points).fetch_add(points, kRelaxed);
    const uint32_t number = device_atomic<uint32_t>(counts.grids).fetch_add(1, kRelaxed);
    bool fits = number < plan.grid_capacity && first + points <= plan.point_capacity;
    for (int side = 0; side < 4 && fits; ++side) {
      const Line line = line_of(plan, patch[i], corner[i], its, side);
      const uint32_t start = side < 2 ? corner[i] & 0xffffu : corner[i] >> 16;
      const uint32_t level = side < 2 ? its & 15u : its >> 4 & 15u;
      const uint32_t part = start >> (uint32_t(kParameterBits) - level);
      fits = table.mark(line, node_of(line, level, part), side < 2 ? dice_u : dice_v);
    }
    if (!fits) {
      device_atomic<uint32_t>(counts.lost).fetch_add(1, kRelaxed);
      return;
    }
    plan.grids[number] = {patch[i], corner[i], its, first, 0, 0};
    place.set(i, number);
    kept.set(i, 1u);
  });
  w.sync();
  const Uint payload[ShadeTask::kWords] = {place.lanes()};
  const Mask made = m && kept.lanes() != Uint(0u);
  const Mask queued = worker.template enqueue<ShadeTask>(payload, made);
  for (uint32_t left = w.ballot(made && !queued); left != 0; left &= left - 1) {
    shade(worker, w.broadcast(payload[0], lowest_bit(left)));
  }
}

struct DiceTask {
  static constexpr int kId = 1, kThreads = 1, kWords = 4;
  template <class Worker>
  BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int, Mask active) {
    dice(worker, {payload[1], payload[2], payload[3]}, active);
  }
};

template <class Worker>
BROKKR_FN void send_to_dice(Worker& worker, const Pieces& pieces, Mask m) {
  Warp& w = worker.warp();
  if (!w.any(m)) return;
  const Uint payload[DiceTask::kWords] = {Uint(0u), pieces.patch, pieces.corner, pieces.shape};
  const Mask refused = m && !worker.template enqueue<DiceTask>(payload, m);
  if (w.any(refused)) dice(worker, pieces, refused);
}

// The priority in 24 bits, larger is more urgent: the logarithm of a split's value, scaled linearly between its bounds.
BROKKR_FN Uint split_priority(const ReyesPlan& plan, const PieceSize& size) {
  constexpr float kMinLog = -6, kMaxLog = 8;
  Float worth = 0.0f;
  if (plan.priority != SplitPriority::distance) {
    const Float grid = plan.rate * float(1u << plan.max_dice);
    worth += log2_lanes(maximum(maximum(size.along_u, size.along_v), 1e-3f) * (1.0f / grid));
  }
  if (plan.priority != SplitPriority::size) {
    const Float far = size.distance * (1.0f / plan.falloff);
    worth = worth - 2.0f * log2_lanes(1.0f + far);
  }
  const Float part = saturate((worth - kMinLog) * (1.0f / (kMaxLog - kMinLog)));
  return as_uint(to_int(brokkr::select(size.blind, Float(1.0f), part) * float((1 << 24) - 1)));
}
// The classes in which queued splits are counted. They are the buckets of the unhalved bound.
BROKKR_FN uint32_t priority_class(uint32_t priority) { return (priority >> 8) * uint32_t(kPriorityBuckets) >> 16; }

// The current number of pieces, each of which becomes at least one grid, and the number of queued splits of class
// `first` or above. Call it from one lane; other workers change the counts in the meantime.
struct Outlook {
  uint32_t pieces = 0, ahead = 0;
};
BROKKR_FN Outlook outlook(const ReyesPlan& plan, uint32_t first) {
  ReyesCounts& counts = *plan.counts;
  uint32_t queued = 0, ahead = 0;
  for (uint32_t c = 0; c < uint32_t(kPriorityBuckets); ++c) {
    const uint32_t n = device_atomic<uint32_t>(counts.queued[c]).load(kRelaxed);
    queued += n;
    ahead += c >= first ? n : 0;
  }
  const uint32_t total = device_atomic<uint32_t>(counts.total).load(kRelaxed);
  return {total > queued ? total - queued : 0, ahead};
}
// The time in ns that `pieces` grids need from now on, including everything after the splits. Call it from one lane.
BROKKR_FN uint64_t still_to_come(const ReyesPlan& plan, uint32_t pieces) {
  const uint32_t made = device_atomic<uint32_t>(plan.counts->grids).load(kRelaxed);
  return pieces * plan.grid_ns + (pieces > made ? pieces - made : 0) * plan.shade_ns;
}

// Returns the lanes whose splits will run before the deadline. All queued splits of equal or higher urgency run first;
// each takes as long as earlier ones did, and makes one more grid. Less urgent splits do not count, because they run
// later or never.
template <class Worker>
BROKKR_FN Mask in_time(Worker& worker, Uint priority, Mask m) {
  Warp& w = worker.warp();
  const ReyesPlan& plan = worker.context().plan;
  if (!plan.limited() || !w.any(m)) return m;
  const uint64_t now = worker.now();
  const auto priorities = w.spill(priority);
  auto fits = w.spill(0u);
  w.for_lanes(m, [&](int i) {
    ReyesCounts& counts = *plan.counts;
    const Outlook there = outlook(plan, priority_class(priorities[i]));
    const uint32_t splits = there.ahead + 1, done = device_atomic<uint32_t>(counts.splits).load(kRelaxed);
    bool can = uint64_t(done) + splits <= plan.task_limit;
    if (plan.deadline_ns != ~uint64_t(0)) {
      const uint64_t took = device_atomic<uint64_t>(counts.split_ns).load(kRelaxed);
      const uint64_t pace = done == 0 ? plan.split_ns : took / (uint64_t(done) * plan.workers);
      can = can && now + splits * pace + still_to_come(plan, there.pieces + splits) <= plan.deadline_ns;
    }
    fits.set(i, can ? 1u : 0u);
  });
  return m && fits.lanes() != Uint(0u);
}

template <int axis>
struct SplitTask;

// The number of halvings, at most max_dice, that makes micropolygons of at most `rate` pixels.
BROKKR_FN Uint dice_for(const ReyesPlan& plan, Float length) {
  Uint dice = 0u;
  for (uint32_t k = 0; k < plan.max_dice; ++k) {
    dice = dice + brokkr::select(length > plan.rate * float(1u << k), Uint(1u), Uint(0u));
  }
  return dice;
}

// Culls pieces, and enqueues the others for splitting or dicing.
template <class Worker>
BROKKR_FN_NOINLINE void bound(Worker& worker, Pieces pieces, Mask m) {
  Warp& w = worker.warp();
  const ReyesPlan& plan = worker.context().plan;
  ReyesCounts& counts = *plan.counts;
  const PieceSize size = piece_size(w, plan, pieces.patch, pieces.corner, pieces.shape, m);
  count_lanes(w, counts.bounds, m);
  const Mask culled = m && size.outside;
  count_lanes(w, counts.culled, culled);
  const uint32_t gone = uint32_t(w.count(culled));
  if (gone > 0) w.once([&] { device_atomic<uint32_t>(counts.total).fetch_add(0u - gone, kRelaxed); });
  m = m && !size.outside;
  if (!w.any(m)) return;

  const Uint level_u = pieces.shape & 15u, level_v = pieces.shape >> 4 & 15u;
  const float grid = plan.rate * float(1u << plan.max_dice);
  const Mask large_u = level_u < Uint(kMaxSplits) && size.along_u > Float(grid);
  const Mask large_v = level_v < Uint(kMaxSplits) && size.along_v > Float(grid);
  const Mask blind_u = size.blind && level_u < Uint(kMaxBlindSplits) && !(level_v < level_u);
  const Mask blind_v = size.blind && level_v < Uint(kMaxBlindSplits) && level_v < level_u;
  const Mask along_u = blind_u || (!size.blind && large_u && (!large_v || !(size.along_u < size.along_v)));
  const Mask along_v = (blind_v || (!size.blind && large_v)) && !along_u;
  const Uint dice_u = brokkr::select(size.blind, Uint(plan.max_dice), dice_for(plan, size.along_u));
  const Uint dice_v = brokkr::select(size.blind, Uint(plan.max_dice), dice_for(plan, size.along_v));
  pieces.shape = (pieces.shape & 0xffu) | dice_u << 8 | dice_v << 12;

  const Mask large = m && (along_u || along_v);
  const Uint priority = split_priority(plan, size);
  Mask split = in_time(worker, priority, large);
  count_lanes(w, counts.stopped, large && !split);
  // Each split makes one more grid, which needs room.
  auto room = w.spill(0u);
  const auto priorities = w.spill(priority);
  w.for_lanes(split, [&](int i) {
    device_atomic<uint32_t> total(counts.total);
    if (total.fetch_add(1, kRelaxed) < plan.grid_capacity) {
      room.set(i, 1u);
      device_atomic<uint32_t>(counts.queued[priority_class(priorities[i])]).fetch_add(1, kRelaxed);
    } else {
      total.fetch_add(~0u, kRelaxed);
    }
  });
  const Mask wanted = split;
  split = split && room.lanes() != Uint(0u);
  const Uint payload[4] = {priority, pieces.patch, pieces.corner, pieces.shape};
  const Mask in_u = worker.template enqueue<SplitTask<0>>(payload, split && along_u);
  const Mask in_v = worker.template enqueue<SplitTask<1>>(payload, split && along_v);
  const Mask refused = split && !in_u && !in_v;
  w.for_lanes(refused, [&](int i) {
    device_atomic<uint32_t>(counts.total).fetch_add(~0u, kRelaxed);
    device_atomic<uint32_t>(counts.queued[priority_class(priorities[i])]).fetch_add(~0u, kRelaxed);
  });
  split = split && !refused;
  count_lanes(w, counts.crowded, wanted && !split);
  send_to_dice(worker, pieces, m && !split);
}

struct BoundTask {
  static constexpr int kId = 2, kThreads = 1, kWords = 1;  // a whole patch
  template <class Worker>
  BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int, Mask active) {
    bound(worker, {payload[0], Uint(0u), Uint(0u)}, active);
  }
};

// Halves pieces along u (axis 0) or v (axis 1), and bounds the halves.
template <int axis>
struct SplitTask {
  static constexpr int kId = 3 + axis, kThreads = 1, kWords = 4;
  template <class Worker>
  BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int, Mask active) {
    Warp& w = worker.warp();
    const ReyesPlan& plan = worker.context().plan;
    ReyesCounts& counts = *plan.counts;
    Pieces pieces{payload[1], payload[2], payload[3]};
    const auto priorities = w.spill(payload[0]);
    auto late = w.spill(0u);
    const bool timed = plan.deadline_ns != ~uint64_t(0);
    const uint64_t now = timed ? worker.now() : 0;
    w.for_lanes(active, [&](int i) {
      device_atomic<uint32_t>(counts.queued[priority_class(priorities[i])]).fetch_add(~0u, kRelaxed);
      device_atomic<uint32_t> splits(counts.splits);
      bool over = splits.fetch_add(1, kRelaxed) >= plan.task_limit;
      // This split is no longer queued, and the number of pieces already includes its additional grid.
      if (timed) over = over || now + still_to_come(plan, outlook(plan, 0).pieces) > plan.deadline_ns;
      if (!over) return;
      splits.fetch_add(~0u, kRelaxed);
      device_atomic<uint32_t>(counts.total).fetch_add(~0u, kRelaxed);
      late.set(i, 1u);
    });
    const Mask over = active && late.lanes() != Uint(0u);
    count_lanes(w, counts.stopped, over);
    send_to_dice(worker, pieces, over);
    const Mask go = active && !over;
    if (!w.any(go)) return;
    const Uint level = axis == 0 ? pieces.shape & 15u : pieces.shape >> 4 & 15u;
    pieces.shape = (pieces.shape & 0xffu) + Uint(axis == 0 ? 1u : 16u);
    const Uint half = Uint(kParameterOne / 2) >> level;
    for (int child = 0; child < 2; ++child) {
      Pieces its = pieces;
      if (child == 1) its.corner = its.corner + (axis == 0 ? half : half << 16);
      bound(worker, its, go);
    }
    if (!timed) return;
    const uint64_t ns = worker.now() - now;
    w.once([&] { device_atomic<uint64_t>(counts.split_ns).fetch_add(ns, kRelaxed); });
  }
};

using Ready =
    Bucket<FirstFirst<ByTask>, Queue<HasTasks, ShadeTask>, Queue<HasTasks, DiceTask>, Queue<HasTasks, BoundTask>>;
using Priorities = DecreasingPriorities<0>;
using Splits = Repeat<kPriorityBuckets, Priorities,
                      Bucket<RoundRobin<ByTask>, Queue<HasTasks, SplitTask<0>>, Queue<HasTasks, SplitTask<1>>>>;
using Root = Bucket<FirstFirst<ByTask>, Ready, Splits>;

template <class Worker>
BROKKR_FN void Program::seed(Worker& worker) {
  Warp& w = worker.warp();
  const uint32_t width = uint32_t(kWidth);
  // Any idle worker enqueues the remaining patches. If each worker had its own patches, the patches of a worker that
  // waits for a processor would come late, and the others would spend their time on less important work.
  for (;;) {
    const uint32_t at = w.uniform(
        [&]() -> uint32_t { return device_atomic<uint32_t>(plan.counts->seeded).fetch_add(width, kRelaxed); });
    if (at >= plan.patches) break;
    const Mask m = w.first_lanes(int(plan.patches - at));
    const Uint payload[BoundTask::kWords] = {as_uint(w.lane()) + Uint(at)};
    const Mask refused = m && !worker.template enqueue<BoundTask>(payload, m);
    if (w.any(refused)) BoundTask::execute(worker, payload, Int(0), refused);
  }
}

BROKKR_FN void run_program(Warp& w, const ReyesPlan& plan, int number) {
  Program program{plan};
  auto memory = ProgramMemory<Root>::layout(plan.program, plan.queue_capacity);
  memory.stop = memory.queues.abort = plan.abort;
  Worker<Root, Program>(w, memory, program, uint32_t(number)).run();
}

}  // namespace reyes
BROKKR_MACHINE_END

// The table of functions of the task program and the stages after it, the same for every build. Each build defines
// kernel<body>(), which runs a body.

BROKKR_MACHINE_BEGIN
namespace reyes {

static ReyesProgramMemory program_memory(uint32_t queue_capacity, uint32_t workers) {
  using Memory = ProgramMemory<Root>;
  static_assert(Root::kShared == Splits::kOwnShared, "the words of the priorities are the first shared ones");
  const size_t open_at = Memory::open_at(queue_capacity), shared_at = Memory::shared_at(queue_capacity);
  return {.bytes = open_at + 16 + size_t(workers) * Root::kLocal * sizeof(uint32_t),
          .words_at = shared_at - sizeof(uint64_t),
          .open_at = open_at,
          .halvings_at = shared_at + Priorities::kHalvingsWord * sizeof(uint64_t),
          .patience_at = shared_at + Priorities::kPatienceWord * sizeof(uint64_t)};
}

}  // namespace reyes
BROKKR_MACHINE_END

#define BROKKR_REYES_KERNELS \
  { &program_memory, kernel<&run_program>(), kernel<&run_stitching>() }
