// Decides what a block does next: its leading warp evaluates the policy's tree (pipeline/launch_tree.h).
#pragma once

#include "machine/clock.h"
#include "pipeline/launch_tree.h"

BROKKR_MACHINE_BEGIN

enum class Action : uint32_t { wait, geometry, visit, leave };

struct Decision {
  Action action = Action::wait;
  TaskRange tasks;
  bool refused = false;  // a task was wanted but could not start
  uint32_t rasterizer = 0;
  Watermark mark{};
  bool aborted = false;  // the frame is being cut off
  int free_blocks = 0;   // LaunchStatus::free_blocks
};

BROKKR_FN Watermark watermark_of(const LaunchStatus& status, const ScheduleTables& schedule) {
  const uint32_t tasks = status.watermark;
  return {tasks, tasks >= schedule.tasks ? schedule.batches : tasks * schedule.task_batches};
}

// A block's memory between two decisions.
struct DecisionMemory {
  TreeMemory tree;
  uint32_t begin_us;
  bool asked;  // the status for the next decision was requested ahead
  LaunchStatus status;
};

// Call before a block's first decision, from one warp.
BROKKR_FN void begin_decisions(Warp& w, const RasterTables& t, const ScheduleTables& schedule, int block, int blocks,
                               DecisionMemory& memory) {
  LaunchView view{t, schedule, schedule.control->share, memory.tree.word, block, blocks};
  w.once([&] {
    with_tree(schedule.policy, [&](auto tree) { decltype(tree)::init(view, TreePlace{}, uint32_t(block)); });
    memory.begin_us = uint32_t(clock_ns() / 1000);
    memory.asked = false;
    // All blocks write the same values.
    for (int i = 0; i < kStageChildren; ++i) {
      device_atomic<uint64_t>(schedule.control->share[kStageChildren + i]).store(schedule.quota[i], kRelaxed);
    }
  });
}

// Call after a block has finished an action, from one warp.
BROKKR_FN void end_action(Warp& w, const ScheduleTables& schedule, bool geometry, uint64_t ns) {
  if (schedule.policy != Policy::fair) return;
  const BucketState state{schedule.control->share, nullptr, kStageChildren};
  w.once([&] { FairShare<ByTask>::executed(state, geometry ? kGeometryChild : kRasterChild, ns); });
}

BROKKR_FN void release_rasterizer(Warp& w, const RasterTables& t, const ScheduleTables& schedule, uint32_t r,
                                  bool finished) {
  w.sync();
  w.once([&] {
    // Blocks that leave after all have finished read nothing that this block wrote, so a relaxed count suffices.
    if (finished)
      device_atomic<uint32_t>(schedule.control->finished).fetch_add(1, kRelaxed);
    else
      RasterizerBits(t.bits).give_back(r);
  });
}

// Decides by one tree. If a chosen leaf turns out to be taken or full, excludes it and decides again [Kerbl18, 5.2.4].
template <class Root>
BROKKR_FN void decide_by(Warp& w, LaunchView& view, Stock& stock, int warps, Decision& decision) {
  for (int tries = 0; tries < kMaxTriesOfBlock; ++tries) {
    const Choice choice = Root::choose(w, view, TreePlace{});
    if (choice.leaf == kNoLeaf) return;
    if (choice.leaf == kGeometryLeaf) {
      decision.tasks = admit_tasks(w, view.schedule, view.status, stock, warps, view.blocks);
      decision.refused |= decision.tasks.refused;
      view.geometry_refused = decision.tasks.count == 0;
      if (view.geometry_refused) continue;
      decision.action = Action::geometry;
    } else {
      const uint32_t r = uint32_t(choice.leaf - kFirstRasterizerLeaf);
      const bool filling = view.filling();
      if (!w.uniform([&] { return RasterizerBits(view.tables.bits).claim(r, filling); })) continue;
      decision.rasterizer = r;
      decision.action = Action::visit;
    }
    w.sync();  // all lanes have read what the callbacks change
    w.once([&] {
      Root::walk(
          view, TreePlace{}, choice.leaf,
          [](auto callbacks, const BucketState& state, int child) { decltype(callbacks)::chosen(state, child); },
          [](auto) {});
    });
    return;
  }
}

// Requests the status for the next decision while other warps still work. If no task is left, the next decision depends
// on the end of running tasks, including this block's own, and then requests the status itself.
BROKKR_FN void ask_status_ahead(Warp& w, const RasterTables& t, const ScheduleTables& schedule,
                                DecisionMemory& memory) {
  const LaunchStatus status = read_status(w, schedule, t.stock.free_blocks);
  if (status.next_task >= schedule.tasks) return;
  w.once([&] {
    memory.status = status;
    memory.asked = true;
  });
}

// Decides from a given status of the launch.
BROKKR_FN Decision decide_from(Warp& w, const LaunchStatus& status, LaunchView& view, Stock& stock, int warps,
                               uint32_t begin_us) {
  const ScheduleTables& schedule = view.schedule;
  Decision decision;
  decision.mark = watermark_of(status, schedule);
  decision.free_blocks = status.free_blocks;
  decision.aborted = status.abort != kAbortNot;
  if (status.abort >= kAbortLeave || status.finished >= schedule.rasterizers) {
    decision.action = Action::leave;
    return decision;
  }
  view.status = status;
  view.mark = decision.mark;
  view.aborted = decision.aborted;
  view.geometry_refused = false;
  if (schedule.policy == Policy::edf) {
    view.now = uint64_t(w.uniform([&]() -> uint32_t { return uint32_t(clock_ns() / 1000) - begin_us; })) * 1000;
  }
  with_tree(schedule.policy, [&](auto tree) { decide_by<decltype(tree)>(w, view, stock, warps, decision); });
  return decision;
}

// One warp decides for its block. A status that was requested ahead may be as old as a task. That is safe: its words
// only grow, except the number of free blocks, and a task must acquire its free block before it starts. If the old
// status leaves nothing to do, the warp requests a new one.
template <class Shared>
BROKKR_FN Decision decide(Block<Shared>& b, const RasterTables& t, const ScheduleTables& schedule, Stock& stock,
                          DecisionMemory& memory) {
  Warp& w = b.warp;
  LaunchView view{t, schedule, schedule.control->share, memory.tree.word, b.index, b.blocks};
  for (;;) {
    const bool asked = w.uniform([&] { return memory.asked; });
    const LaunchStatus status = asked ? memory.status : read_status(w, schedule, t.stock.free_blocks);
    w.sync();  // all lanes have read the requested status
    w.once([&] { memory.asked = false; });
    const Decision decision = decide_from(w, status, view, stock, b.warps, memory.begin_us);
    if (!asked || decision.action != Action::wait) return decision;
  }
}

BROKKR_MACHINE_END
