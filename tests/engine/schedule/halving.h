// A program in Whippletree's style: three types of tasks that create each other, some with one thread, one with 32.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>

#include "schedule/policies.h"
#include "schedule/task_loop.h"

BROKKR_MACHINE_BEGIN
namespace halving {

struct Total {
  uint64_t sum = 0;
  uint32_t lost = 0, leaves = 0;
};

// Adds the numbers first .. first + count - 1, count <= 32: one lane for each number, and one lane for the sum.
struct AddUp {
  static constexpr int kId = 2, kThreads = 32, kWords = 2;
  template <class Worker>
  BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int thread, Mask active) {
    Warp& w = worker.warp();
    const Mask mine = active && as_uint(thread) < payload[1];
    const Ulong value = select(mine, Ulong(payload[0] + as_uint(thread)), Ulong(uint64_t(0)));
    const uint64_t sum = w.reduce_add(value);
    w.once([&] { device_atomic<uint64_t>(worker.context().total.sum).fetch_add(sum, kRelaxed); });
  }
};
// Counts the numbers that it passes on: the pipeline's second stage.
struct Leaf {
  static constexpr int kId = 1, kThreads = 1, kWords = 2;
  template <class Worker>
  BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int, Mask active) {
    Warp& w = worker.warp();
    const int n = w.count(active), in = w.count(worker.template enqueue<AddUp>(payload, active));
    w.once([&] {
      device_atomic<uint32_t>(worker.context().total.leaves).fetch_add(uint32_t(n), kRelaxed);
      device_atomic<uint32_t>(worker.context().total.lost).fetch_add(uint32_t(n - in), kRelaxed);
    });
  }
};
struct Halve {
  static constexpr int kId = 0, kThreads = 1, kWords = 2;
  template <class Worker>
  BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int, Mask active) {
    Warp& w = worker.warp();
    const Mask small = active && payload[1] <= Uint(32u), large = active && !(payload[1] <= Uint(32u));
    const Uint half = payload[1] >> Uint(1u);
    const Uint left[2] = {payload[0], half}, right[2] = {payload[0] + half, payload[1] - half};
    int lost = w.count(small) - w.count(worker.template enqueue<Leaf>(payload, small));
    lost += w.count(large) - w.count(worker.template enqueue<Halve>(left, large));
    lost += w.count(large) - w.count(worker.template enqueue<Halve>(right, large));
    if (lost > 0)
      w.once([&] { device_atomic<uint32_t>(worker.context().total.lost).fetch_add(uint32_t(lost), kRelaxed); });
  }
};

// A queue per type: later stages first, which keeps queues short.
using PerType = Bucket<LastFirst<ByTask>, Queue<HasTasks, Halve>, Queue<HasTasks, Leaf>, Queue<HasTasks, AddUp>>;
// All types in one queue, sorted with the smallest pieces first.
struct SmallFirst : HasTasks {
  template <class Task>
  BROKKR_FN static Uint maintain(const Uint (&payload)[Task::kWords], const MaintainState&) {
    return ~payload[1];
  }
};
using Monolithic = Queue<SmallFirst, Halve, Leaf, AddUp>;

struct Context {
  Total& total;
  uint32_t n;
  template <class Worker>
  BROKKR_FN void seed(Worker& worker) {
    if (worker.number() != 0) return;
    const Uint all[2] = {Uint(1u), Uint(n)};
    worker.template enqueue<Halve>(all, worker.warp().first_lanes(1));
  }
};

// A worker's own queues if it has any: room for all tasks of n <= 1000.
template <class Root, bool kOwn>
static auto queues_of_block() {
  if constexpr (kOwn) {
    return std::make_unique<OwnQueues<Root, 64>>();
  } else {
    return std::unique_ptr<NoOwnQueues>();
  }
}

// Returns ~0 if a task was lost. capacity: tasks in each of the program's queues.
template <class Root, bool kOwn = false>
static uint64_t run(uint32_t n, int workers, void (*launch)(int, void (*)(void*, int), void*),
                    uint32_t capacity = 1u << 14) {
  using Memory = ProgramMemory<Root>;
  const size_t bytes = (Memory::bytes(capacity, uint32_t(workers)) + 63) / 64 * 64;
  void* space = std::aligned_alloc(64, bytes);
  std::memset(space, 0, bytes);
  struct Launch {
    Memory memory;
    Total total;
    uint32_t n;
  } all{Memory::layout(space, capacity), {}, n};
  *all.memory.open = uint32_t(workers);
  launch(
      workers,
      [](void* p, int worker) {
        auto& l = *static_cast<Launch*>(p);
        Warp w;
        Context context{l.total, l.n};
        const auto own = queues_of_block<Root, kOwn>();
        using Own = typename std::decay_t<decltype(own)>::element_type;
        Worker<Root, Context, Own>(w, l.memory, context, uint32_t(worker), own.get()).run();
      },
      &all);
  std::free(space);
  return all.total.lost == 0 && all.total.leaves > 0 ? all.total.sum : ~uint64_t(0);
}

}  // namespace halving
BROKKR_MACHINE_END
