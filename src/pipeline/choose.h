// The decision what a block does next, by its leading warp and the policy's tree (pipeline/launch_tree.h).
#pragma once

#include "machine/clock.h"
#include "pipeline/launch_tree.h"

BROKKR_MACHINE_BEGIN

enum class Action : uint32_t { wait, geometry, visit, leave };

struct Decision {
  Action action = Action::wait;
  TaskRange tasks;
  bool refused = false;  // a task was wanted and could not start
  uint32_t rasterizer = 0;
};

BROKKR_FN bool is_aborted(Warp& w, const ScheduleTables& s) {
  return w.uniform([&] { return system_atomic<uint32_t>(*s.abort).load(kRelaxed); }) != kAbortNot;
}

BROKKR_FN Watermark read_watermark(Warp& w, const ScheduleTables& s) {
  Watermark m;
  m.tasks = w.uniform([&] { return device_atomic<uint32_t>(s.control->watermark).load(kAcquire); });
  m.batches = m.tasks >= s.tasks ? s.batches : m.tasks * s.task_batches;
  return m;
}

// The memory of a block from one decision to the next.
struct DecisionMemory {
  uint32_t local[2];  // of the tree
  uint32_t begin_us;
};

// Called before a block's first decision, by one warp.
BROKKR_FN void begin_decisions(Warp& w, const RasterTables& t, const ScheduleTables& s, int block, int blocks,
                               DecisionMemory& memory) {
  LaunchView view{t, s, s.control->share, memory.local, block, blocks};
  w.once([&] {
    with_tree(s.policy, [&](auto tree) { decltype(tree)::init(view, TreePlace{}, uint32_t(block)); });
    memory.begin_us = uint32_t(clock_ns() / 1000);
    // All blocks write the same values.
    for (int i = 0; i < 2; ++i) device_atomic<uint64_t>(s.control->share[2 + i]).store(s.quota[i], kRelaxed);
  });
}

// Called after a block has done its work, by one warp.
BROKKR_FN void end_action(Warp& w, const ScheduleTables& s, bool geometry, uint64_t ns) {
  if (s.policy != Policy::fair) return;
  const BucketState state{s.control->share, nullptr, 2};
  w.once([&] { FairShare<ByTask>::executed(state, geometry ? 0 : 1, ns); });
}

BROKKR_FN bool claim_rasterizer(Warp& w, const RasterTables& t, uint32_t r) {
  return w.uniform([&] {
    uint32_t expected = 0;
    return device_atomic<uint32_t>(t.rasterizers[r].claim).compare_exchange_strong(expected, 1, kAcquire, kRelaxed);
  });
}

BROKKR_FN void release_rasterizer(Warp& w, const RasterTables& t, const ScheduleTables& s, uint32_t r, bool finished) {
  w.sync();
  w.once([&] {
    // A finished rasterizer keeps its claim, so that no block looks at it again.
    if (finished)
      device_atomic<uint32_t>(s.control->finished).fetch_add(1, kAcqRel);
    else
      device_atomic<uint32_t>(t.rasterizers[r].claim).store(0, kRelease);
  });
}

// Decides by one tree. A leaf that turns out to be taken or full is left out, and the decision is made again [Kerbl18,
// 5.2.4].
template <class Root>
BROKKR_FN void decide_by(Warp& w, LaunchView& view, int warps, Decision& d) {
  for (int tries = 0; tries < 4; ++tries) {
    const Choice choice = Root::choose(w, view, TreePlace{});
    if (choice.leaf < 0) return;
    if (choice.leaf == 0) {
      BrokerQueues<1> free_blocks(view.tables.free_blocks);
      d.tasks = admit_tasks(w, view.schedule, free_blocks, warps, view.blocks);
      d.refused |= d.tasks.refused;
      view.geometry_refused = d.tasks.count == 0;
      if (view.geometry_refused) continue;
      d.action = Action::geometry;
    } else {
      if (!claim_rasterizer(w, view.tables, uint32_t(choice.leaf - 1))) continue;
      d.rasterizer = uint32_t(choice.leaf - 1);
      d.action = Action::visit;
    }
    w.once([&] {
      Root::walk(
          view, TreePlace{}, choice.leaf,
          [](auto callbacks, const BucketState& s, int child) { decltype(callbacks)::chosen(s, child); }, [](auto) {});
    });
    return;
  }
}

// One warp decides for its block.
BROKKR_FN Decision decide(Warp& w, const RasterTables& t, const ScheduleTables& s, int block, int blocks, int warps,
                          DecisionMemory& memory) {
  Decision d;
  const uint32_t abort = w.uniform([&] { return system_atomic<uint32_t>(*s.abort).load(kRelaxed); });
  if (abort >= kAbortLeave ||
      w.uniform([&] { return device_atomic<uint32_t>(s.control->finished).load(kAcquire); }) >= s.rasterizers) {
    d.action = Action::leave;
    return d;
  }
  LaunchView view{t, s, s.control->share, memory.local, block, blocks};
  view.aborted = abort != kAbortNot;
  view.mark = read_watermark(w, s);
  if (s.policy == Policy::edf) {
    view.now = uint64_t(w.uniform([&]() -> uint32_t { return uint32_t(clock_ns() / 1000) - memory.begin_us; })) * 1000;
  }
  with_tree(s.policy, [&](auto tree) { decide_by<decltype(tree)>(w, view, warps, d); });
  return d;
}

BROKKR_MACHINE_END
