// A program that asks to be paused again and again: its tasks, and what a warp runs of a plan.
#pragma once

#include "pause_plan.h"
#include "schedule/policies.h"
#include "schedule/task_loop.h"

BROKKR_MACHINE_BEGIN
namespace pause_program {
using pause_test::Plan;

struct Step {
  static constexpr int kId = 0, kThreads = 1, kWords = 2;  // number of the task, and its seed's
  template <class Worker>
  BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int, Mask active) {
    Warp& w = worker.warp();
    const Plan& plan = worker.context().plan;
    const auto number_of = w.spill(payload[0]);
    w.for_lanes(active, [&](int i) { device_atomic<uint32_t>(plan.times[number_of[i]]).fetch_add(1, kRelaxed); });
    const int n = w.count(active);
    w.once([&] {
      const uint32_t before = device_atomic<uint32_t>(plan.ran[0]).fetch_add(uint32_t(n), kRelaxed);
      if (before / plan.pause_after != (before + uint32_t(n)) / plan.pause_after)
        system_atomic<uint32_t>(*plan.pause).store(1, kRelaxed);
    });
    const Uint next[kWords] = {payload[0] + plan.seeds, payload[1]};
    const Mask more = active && next[0] < plan.seeds * plan.generations;
    const int lost = w.count(more) - w.count(worker.template enqueue<Step>(next, more));
    w.once([&] { device_atomic<uint32_t>(plan.ran[1]).fetch_add(uint32_t(lost), kRelaxed); });
  }
};
using Root = Repeat<8, RoundRobin<ByNumber<1>>, Queue<HasTasks, Step>>;

struct Context {
  const Plan& plan;
  template <class Worker>
  BROKKR_FN void seed(Worker& worker) {
    if (worker.number() != 0) return;
    Warp& w = worker.warp();
    for (uint32_t at = 0; at < plan.seeds; at += uint32_t(kWidth)) {
      const Uint number = as_uint(w.lane()) + at;
      const Uint task[2] = {number, number & 7u};
      worker.template enqueue<Step>(task, number < plan.seeds);
    }
  }
};

BROKKR_FN void run(Warp& w, const Plan& plan, int warp) {
  auto memory = ProgramMemory<Root>::layout(plan.memory, plan.capacity);
  memory.stop = plan.pause;
  memory.queues.abort = plan.abort;
  memory.resumed = plan.resumed != 0;
  Context context{plan};
  Worker<Root, Context>(w, memory, context, uint32_t(warp)).run();
}

static pause_test::Kernel kernel_of(TaskKernel<Plan> run) {
  return {&ProgramMemory<Root>::bytes, &ProgramMemory<Root>::open_at, run};
}

}  // namespace pause_program
BROKKR_MACHINE_END
