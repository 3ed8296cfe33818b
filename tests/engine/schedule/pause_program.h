// A program that requests a pause again and again: its tasks, and the function that a warp runs.
#pragma once

#include "pause_plan.h"
#include "schedule/policies.h"
#include "schedule/task_loop.h"

BROKKR_MACHINE_BEGIN
namespace pause_program {
using pause_test::Plan;

BROKKR_FN Uint word_of(Uint number, int k) { return number * 2654435761u + uint32_t(k) * 40503u; }

// Words 0 and 1: the task's number, and its seed's queue; the others follow from the number.
template <int kPayload>
struct Step {
  static constexpr int kId = 0, kThreads = 1, kWords = kPayload;
  // Runs the tasks and queues their successors. A task that finds no room runs at once, so none is lost.
  template <class Worker>
  BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int, Mask active) {
    Warp& w = worker.warp();
    const Plan& plan = worker.context().plan;
    Mask whole = active;
    for (int k = 2; k < kWords; ++k) whole = whole && payload[k] == word_of(payload[0], k);
    const int torn = w.count(active && !whole);
    w.once([&] { device_atomic<uint32_t>(plan.ran[2]).fetch_add(uint32_t(torn), kRelaxed); });
    Uint number = payload[0];
    for (Mask here = active; w.any(here);) {
      note(w, plan, number, here);
      number = number + plan.seeds;
      here = here && number < plan.seeds * plan.generations;
      here = here && !put(worker, number, payload[1], here);
      const int refused = w.count(here);
      w.once([&] { device_atomic<uint32_t>(plan.ran[1]).fetch_add(uint32_t(refused), kRelaxed); });
    }
  }
  template <class Worker>
  BROKKR_FN static Mask put(Worker& worker, Uint number, Uint queue, Mask m) {
    Uint payload[kWords] = {number, queue};
    for (int k = 2; k < kWords; ++k) payload[k] = word_of(number, k);
    return worker.template enqueue<Step>(payload, m);
  }

 private:
  BROKKR_FN static void note(Warp& w, const Plan& plan, Uint number, Mask m) {
    const auto number_of = w.spill(number);
    w.for_lanes(m, [&](int i) { device_atomic<uint32_t>(plan.times[number_of[i]]).fetch_add(1, kRelaxed); });
    const int n = w.count(m);
    w.once([&] {
      const uint32_t before = device_atomic<uint32_t>(plan.ran[0]).fetch_add(uint32_t(n), kRelaxed);
      if (before / plan.pause_after != (before + uint32_t(n)) / plan.pause_after)
        system_atomic<uint32_t>(*plan.pause).store(1, kRelaxed);
    });
  }
};
using Small = Step<2>;
using Large = Step<20>;
template <class Task>
using Root = Repeat<8, RoundRobin<ByNumber<1>>, Queue<HasTasks, Task>>;

template <class Task>
struct Context {
  const Plan& plan;
  template <class Worker>
  BROKKR_FN void seed(Worker& worker) {
    if (worker.number() != 0) return;
    Warp& w = worker.warp();
    for (uint32_t at = 0; at < plan.seeds; at += uint32_t(kWidth)) {
      const Uint number = as_uint(w.lane()) + at;
      const Mask m = number < plan.seeds;
      const Mask refused = m && !Task::put(worker, number, number & 7u, m);
      if (!w.any(refused)) continue;
      Uint payload[Task::kWords] = {number, number & 7u};
      for (int k = 2; k < Task::kWords; ++k) payload[k] = word_of(number, k);
      Task::execute(worker, payload, 0, refused);
    }
  }
};

template <class Task>
using Own = OwnQueues<Root<Task>, 16>;

// own: queues of the warp's block, or nullptr.
template <class Task, class Queues = NoOwnQueues>
BROKKR_FN void run(Warp& w, const Plan& plan, int warp, Queues* own = nullptr) {
  auto memory = ProgramMemory<Root<Task>>::layout(plan.memory, plan.capacity, plan.records);
  memory.stop = plan.pause;
  memory.queues.abort = plan.abort;
  memory.resumed = plan.resumed != 0;
  Context<Task> context{plan};
  Worker<Root<Task>, Context<Task>, Queues>(w, memory, context, uint32_t(warp), own).run();
}

template <class Task>
static pause_test::Kernel kernel_of(TaskKernel<Plan> run) {
  return {&ProgramMemory<Root<Task>>::bytes, &ProgramMemory<Root<Task>>::open_at, run};
}

}  // namespace pause_program
BROKKR_MACHINE_END
