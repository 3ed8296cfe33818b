// µ-kernels in software: each step of a ray's walk is a task type on the bucket queues (schedule/task_loop.h). A worker
// takes a full warp of one type, or otherwise tasks of the lowest type. For comparison, the file also has the same
// steps in one loop.
#pragma once

#include "schedule/policies.h"
#include "schedule/task_loop.h"
#include "simt/rays/ray_walk.h"

BROKKR_MACHINE_BEGIN
namespace ray_machine {

// Control flow is warp-wide, and lanes without work are masked, which no program counter shows. So the program declares
// how many lanes work; `Note` forwards it to the counter (the SIMT machine's intrinsic), or does nothing.
template <class Note>
class LaneCounter {
 public:
  BROKKR_FN void turn(int lanes) {
    ++turns_;
    lanes_ += uint32_t(lanes);
    Note::lanes(lanes);
  }
  // The following instructions do not belong to a step.
  BROKKR_FN void rest() { Note::lanes(kWidth); }
  BROKKR_FN void task() { ++tasks_; }
  BROKKR_FN void add_to(Warp& w, brokkr::simt::RayCounts& counts) const {
    w.once([&] {
      device_atomic<uint64_t>(counts.turns).fetch_add(turns_, kRelaxed);
      device_atomic<uint64_t>(counts.lanes).fetch_add(lanes_, kRelaxed);
      device_atomic<uint64_t>(counts.tasks).fetch_add(tasks_, kRelaxed);
    });
  }

 private:
  uint32_t turns_ = 0, lanes_ = 0, tasks_ = 0;
};
struct NoNote {
  BROKKR_FN static void lanes(int) {}
};

// The path tracer's loop: all lanes alternate between nodes and leaves, until the last ray of the warp is done.
template <class Note>
BROKKR_FN void run_loop(Warp& w, const RayPlan& plan, int warp) {
  LaneCounter<Note> counter;
  for (uint32_t first = uint32_t(warp) * uint32_t(kWidth); first < plan.rays;
       first += plan.workers * uint32_t(kWidth)) {
    const Uint number = as_uint(w.lane()) + first;
    const Mask m = number < plan.rays;
    RayWalk walk(w, plan);
    walk.begin(number, m);
    while (w.any(walk.active())) {
      const Mask inner = walk.inner();
      Mask need = false;
      if (w.any(inner)) {
        counter.turn(w.count(inner));
        need = walk.step_down(inner);
      }
      const Mask leaf = walk.leaf();
      if (w.any(leaf)) {
        counter.turn(w.count(leaf));
        need = need || walk.step_leaf(leaf);
      }
      need = need && walk.active();
      if (w.any(need)) walk.pop(need);
    }
    counter.rest();
    walk.finish(m);
  }
  counter.add_to(w, *plan.counts);
}

struct DownTask;
struct LeafTask;

// Each ray continues as a task of its next step, or ends.
template <class Worker>
BROKKR_FN void pass_on(Worker& worker, RayWalk& walk, Mask m) {
  worker.context().counter.rest();
  worker.context().counter.task();
  Uint words[RayWalk::kWords];
  walk.save(words);
  worker.template enqueue<DownTask>(words, m && walk.inner());  // each queue has room for every ray
  worker.template enqueue<LeafTask>(words, m && walk.leaf());
  walk.finish(m && !walk.active());
}

// Starts a warp's rays. These tasks are threads of the launch, and wait while spawned ones fill a warp.
struct BeginTask {
  static constexpr int kId = 0, kThreads = 32, kWords = 1;  // number of the first ray
  template <class Worker>
  BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int thread, Mask) {
    const RayPlan& plan = worker.context().plan;
    const Uint number = payload[0] + as_uint(thread);
    RayWalk walk(worker.warp(), plan);
    walk.begin(number, number < plan.rays);
    pass_on(worker, walk, number < plan.rays);
  }
};
// Restores rays and continues with step(walk), which returns the lanes that have finished their part, while
// waiting(walk) has as many lanes as the plan requires.
template <class Worker, class Waiting, class Step>
BROKKR_FN void go_on(Worker& worker, const Uint (&payload)[RayWalk::kWords], Mask m, Waiting waiting, Step step) {
  Warp& w = worker.warp();
  RayWalk walk(w, worker.context().plan);
  walk.restore(payload, m);
  for (int lanes = w.count(m), stay = int(worker.context().plan.stay);;) {
    worker.context().counter.turn(lanes);
    const Mask done = step(walk);
    if (w.any(done)) walk.pop(done);
    lanes = w.count(waiting(walk));
    if (lanes < stay) break;
  }
  pass_on(worker, walk, m);
}
// Descends to a leaf.
struct DownTask {
  static constexpr int kId = 1, kThreads = 1, kWords = RayWalk::kWords;
  template <class Worker>
  BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int, Mask m) {
    const auto inner = [](RayWalk& walk) { return walk.inner(); };
    go_on(worker, payload, m, inner, [&](RayWalk& walk) { return walk.step_down(inner(walk)); });
  }
};
// Tests a leaf's triangles.
struct LeafTask {
  static constexpr int kId = 2, kThreads = 1, kWords = RayWalk::kWords;
  template <class Worker>
  BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int, Mask m) {
    const auto leaf = [](RayWalk& walk) { return walk.leaf(); };
    go_on(worker, payload, m, leaf, [&](RayWalk& walk) { return walk.step_leaf(leaf(walk)); });
  }
};

using RayTree = Bucket<FullFirst<ByTask>, Queue<HowMany, DownTask>, Queue<HowMany, LeafTask>,
                       Queue<HowManyThreads<BeginTask::kThreads>, BeginTask>>;

template <class Note>
struct RayContext {
  const RayPlan& plan;
  LaneCounter<Note> counter = {};
  template <class Worker>
  BROKKR_FN void seed(Worker& worker) {
    if (worker.number() != 0) return;
    constexpr uint32_t kRays = BeginTask::kThreads;
    for (uint32_t first = 0; first < plan.rays; first += kRays * uint32_t(kWidth)) {
      const Uint task[1] = {as_uint(worker.warp().lane()) * kRays + first};
      worker.template enqueue<BeginTask>(task, task[0] < plan.rays);
    }
  }
};

// The queues of four warps that work together.
using RayOwn = OwnQueues<RayTree, 64>;

// `queues`: those of the warp's block, or nullptr.
template <class Note, class Own = NoOwnQueues>
BROKKR_FN void run_tasks(Warp& w, const RayPlan& plan, int warp, Own* queues = nullptr) {
  const auto memory = ProgramMemory<RayTree>::layout(plan.memory, plan.capacity);
  RayContext<Note> context{plan};
  Worker<RayTree, RayContext<Note>, Own>(w, memory, context, uint32_t(warp), queues).run();
  context.counter.add_to(w, *plan.counts);
}

}  // namespace ray_machine
BROKKR_MACHINE_END
