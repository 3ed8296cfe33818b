// The queue experiments: the same text on every machine.
#pragma once

#include "lab/plans.h"
#include "lab/queue/every_queue.h"
#include "lab/queue/slot_pointers.h"
#include "lab/softshell.h"
#include "schedule/policies.h"
#include "schedule/task_loop.h"

BROKKR_MACHINE_BEGIN
namespace queue_lab {
using namespace brokkr::lab;

// Returns whether the host has ended the run. Only some loops look, because the word lies in the host's memory.
BROKKR_FN bool is_ended(Warp& w, uint32_t* abort, uint32_t loop) {
  if ((loop & 1023u) != 1023u) return false;
  return w.uniform([&]() -> bool { return system_atomic<uint32_t>(*abort).load(kRelaxed) != 0; });
}

template <class Queue>
BROKKR_FN void run_mix(Warp& w, const MixPlan& plan, int warp) {
  const Queue queue(plan.queue);
  const uint32_t first = uint32_t(warp) * plan.crew.lanes;
  const Mask here = w.first_lanes(int(plan.crew.lanes));
  auto loops = w.spill(Uint(0u));
  w.for_lanes(here, [&](int i) {
    const uint32_t range = plan.max_loops - plan.min_loops + 1;
    loops.set(i, plan.min_loops + scramble(plan.seed ^ ((first + uint32_t(i)) * 0x9e3779b9u)) % range);
  });
  const Uint mine = loops.lanes();
  Uint enqueued = Uint(0u), dequeued = Uint(0u), full = Uint(0u), empty = Uint(0u);
  Float work = Float(1.0f);
  for (uint32_t loop = 0;; ++loop) {
    const Mask active = here && mine > Uint(loop);
    if (!w.any(active) || is_ended(w, plan.queue.abort, loop)) break;
    auto tried = w.spill(Uint(0u));
    auto done = w.spill(Uint(0u));
    w.for_lanes(active, [&](int i) {
      const uint32_t thread = first + uint32_t(i);
      const uint32_t draw = scramble(plan.seed + thread * 0x85ebca6bu + loop * 0xc2b2ae35u);
      uint32_t wants = 0, gets = 0;
      if ((draw & 0xffffu) < plan.enqueue_chance) {
        wants |= 1u;
        if (queue.enqueue(thread, (thread + loop) & 0xffffffu) == Outcome::done) gets |= 1u;
      }
      tried.set(i, wants | ((draw >> 16) < plan.dequeue_chance ? 2u : 0u));
      done.set(i, gets);
    });
    // All lanes enqueue before any dequeues, so that lanes never wait for each other, even if they run one after
    // another.
    const Uint wants = tried.lanes();
    auto value = w.spill(Uint(0u));
    const Mask takes = active && (wants & Uint(2u)) != Uint(0u);
    w.for_lanes(takes, [&](int i) {
      uint32_t taken = 0;
      if (queue.dequeue(first + uint32_t(i), taken) == Outcome::done) {
        done.set(i, done[i] | 2u);
        value.set(i, taken);
      }
    });
    const Uint gets = done.lanes();
    const Mask put = (gets & Uint(1u)) != Uint(0u), got = (gets & Uint(2u)) != Uint(0u);
    enqueued = enqueued + select(put, Uint(1u), Uint(0u));
    dequeued = dequeued + select(got, Uint(1u), Uint(0u));
    full = full + select((wants & Uint(1u)) != Uint(0u) && !put, Uint(1u), Uint(0u));
    empty = empty + select(takes && !got, Uint(1u), Uint(0u));
    if (plan.multiply_adds > 0 && w.any(got)) {
      const Float step = to_float(as_int(value.lanes() & Uint(0xffu)));
      for (uint32_t k = 0; k < plan.multiply_adds; ++k) work = work * Float(0.999f) + step;
    }
  }
  const uint32_t sums[] = {w.reduce_add(enqueued), w.reduce_add(dequeued), w.reduce_add(full), w.reduce_add(empty)};
  const float total = w.reduce_add(work);
  w.once([&] { plan.counts[warp] = {sums[0], sums[1], sums[2], sums[3], total}; });
}

BROKKR_FN void run_atomics(Warp& w, const AtomicPlan& plan, int warp) {
  const Mask here = w.first_lanes(int(plan.crew.lanes));
  for (uint32_t loop = 0; loop < plan.loops && !is_ended(w, plan.abort, loop); ++loop) {
    w.for_lanes(here, [&](int i) {
      const uint32_t separate_word = (1u + uint32_t(warp) * plan.crew.lanes + uint32_t(i)) * 16u;
      device_atomic<uint32_t> word(plan.words[plan.access == AtomicAccess::contended ? 0u : separate_word]);
      if (plan.access == AtomicAccess::plain) {
        word.store(word.load(kRelaxed) + 1u, kRelaxed);
      } else {
        word.fetch_add(1u, kRelaxed);
      }
    });
  }
}

// Makes an element in `words`, and returns the sum of its words.
BROKKR_FN uint32_t make_element(uint32_t* words, uint32_t n, uint32_t seed) {
  uint32_t sum = 0;
  for (uint32_t k = 0; k < n; ++k) sum += words[k] = seed + k * 0x9e3779b9u;
  return sum;
}
BROKKR_FN uint32_t sum_of_element(const uint32_t* words, uint32_t n) {
  uint32_t sum = 0;
  for (uint32_t k = 0; k < n; ++k) sum += words[k];
  return sum;
}

// Puts an element and adds the sum of its words to `sum`. Returns 1 if the queue took it.
BROKKR_FN uint32_t put_element(const ElementPlan& plan, uint32_t seed, uint32_t& sum) {
  const uint32_t n = plan.words;
  const SlotPointers<> queue(plan.queue, plan.capacity, plan.way == ElementWay::pooled ? 1 : n, plan.abort);
  if (plan.way == ElementWay::pooled) {
    const SlotPointers<> free(plan.free, plan.capacity, 1, plan.abort);
    uint32_t* const place = free.oldest();
    if (place == nullptr) return 0;
    const uint32_t number = *place;
    free.release(place);
    sum += make_element(plan.pool + size_t(number) * n, n, seed);
    uint32_t* const slot = queue.room();  // there is one for every place
    if (slot == nullptr) return 0;
    *slot = number;
    queue.publish(slot);
    return 1;
  }
  uint32_t copy[kMaxElementWords];
  if (plan.way == ElementWay::copied) sum += make_element(copy, n, seed);
  uint32_t* const slot = queue.room();
  if (slot == nullptr) return 0;
  if (plan.way == ElementWay::copied) {
    for (uint32_t k = 0; k < n; ++k) slot[k] = copy[k];
  } else {
    sum += make_element(slot, n, seed);
  }
  queue.publish(slot);
  return 1;
}

// Takes an element and adds the sum of its words to `sum`. Returns 1 if there was one.
BROKKR_FN uint32_t take_element(const ElementPlan& plan, uint32_t& sum) {
  const uint32_t n = plan.words;
  const SlotPointers<> queue(plan.queue, plan.capacity, plan.way == ElementWay::pooled ? 1 : n, plan.abort);
  uint32_t* const slot = queue.oldest();
  if (slot == nullptr) return 0;
  if (plan.way == ElementWay::pooled) {
    const uint32_t number = *slot;
    queue.release(slot);
    sum += sum_of_element(plan.pool + size_t(number) * n, n);
    const SlotPointers<> free(plan.free, plan.capacity, 1, plan.abort);
    uint32_t* const place = free.room();
    if (place == nullptr) return 0;
    *place = number;
    free.publish(place);
    return 1;
  }
  if (plan.way == ElementWay::in_place) {
    sum += sum_of_element(slot, n);
    queue.release(slot);
    return 1;
  }
  uint32_t copy[kMaxElementWords];
  for (uint32_t k = 0; k < n; ++k) copy[k] = slot[k];
  queue.release(slot);
  sum += sum_of_element(copy, n);
  return 1;
}

BROKKR_FN void run_elements(Warp& w, const ElementPlan& plan, int warp) {
  device_atomic<uint32_t> begun(*plan.begun);
  if (warp == 0) {
    w.once([&] {
      const SlotPointers<> free(plan.free, plan.capacity, 1, plan.abort);
      for (uint32_t i = 0; plan.way == ElementWay::pooled && i < plan.capacity; ++i) {
        uint32_t* const place = free.room();
        if (place == nullptr) break;
        *place = i;
        free.publish(place);
      }
      begun.store(1u, kRelease);
    });
  }
  w.once([&] {
    for (int spin = 0; begun.load(kAcquire) == 0 && system_atomic<uint32_t>(*plan.abort).load(kRelaxed) == 0; ++spin)
      brokkr::pause(spin);
  });
  w.sync();
  const Mask here = w.first_lanes(int(plan.crew.lanes));
  auto put = w.spill(Uint(0u)), got = w.spill(Uint(0u)), made = w.spill(Uint(0u)), taken = w.spill(Uint(0u));
  for (uint32_t loop = 0; loop < plan.loops && !is_ended(w, plan.abort, loop); ++loop) {
    w.for_lanes(here, [&](int i) {
      uint32_t sum = put[i];
      const uint32_t seed = scramble((uint32_t(warp) * plan.crew.lanes + uint32_t(i)) * 0x85ebca6bu + loop);
      made.set(i, made[i] + put_element(plan, seed, sum));
      put.set(i, sum);
    });
    // All lanes have enqueued before one of them dequeues.
    w.for_lanes(here, [&](int i) {
      uint32_t sum = got[i];
      taken.set(i, taken[i] + take_element(plan, sum));
      got.set(i, sum);
    });
  }
  const ElementSums sums = {w.reduce_add(put.lanes()), w.reduce_add(got.lanes()), w.reduce_add(made.lanes()),
                            w.reduce_add(taken.lanes())};
  w.once([&] { plan.sums[warp] = sums; });
}

// Processes one item: a node passes its rank on.
template <class Queue>
BROKKR_FN void pass_rank(const Queue& queue, const RankPlan& plan, uint32_t thread, uint32_t item) {
  const uint32_t node = item & ((1u << kItemNodeBits) - 1u), iteration = item >> kItemNodeBits;
  const bool more = iteration + 1 < plan.iterations;
  const auto again = [&](uint32_t n) {
    if (queue.enqueue(thread, (iteration + 1) << kItemNodeBits | n) != Outcome::done) {
      device_atomic<uint32_t>(*plan.refused).fetch_add(1u, kRelaxed);
    }
  };
  uint64_t* sum = plan.sum + size_t(iteration) * plan.nodes;
  uint32_t* arrived = plan.arrived + size_t(iteration) * plan.nodes;
  uint64_t rank = kRankOne / plan.nodes;
  if (iteration > 0) {
    rank = rank * (kDampingDenominator - kDampingNumerator) / kDampingDenominator +
           device_atomic<uint64_t>(sum[int64_t(node) - int64_t(plan.nodes)]).load(kRelaxed);
  }
  const uint32_t begin = plan.first_edge[node], end = plan.first_edge[node + 1];
  const uint64_t share = end == begin ? 0 : rank * kDampingNumerator / kDampingDenominator / (end - begin);
  for (uint32_t e = begin; e < end; ++e) {
    const uint32_t to = plan.target[e];
    device_atomic<uint64_t>(sum[to]).fetch_add(share, kRelaxed);
    // The last contributor has seen all other contributions.
    if (device_atomic<uint32_t>(arrived[to]).fetch_add(1u, kAcqRel) + 1 == plan.in_degree[to] && more) again(to);
  }
  if (plan.in_degree[node] == 0 && more) again(node);
}

template <class Queue>
BROKKR_FN void run_rank(Warp& w, const RankPlan& plan, int warp) {
  const Queue queue(plan.queue);
  const uint32_t first = uint32_t(warp) * plan.crew.lanes;
  const Mask here = w.first_lanes(int(plan.crew.lanes));
  if (plan.fill != 0) {
    w.for_lanes(here, [&](int i) {
      const uint32_t thread = first + uint32_t(i);
      for (uint32_t n = thread; n < plan.nodes; n += plan.crew.warps * plan.crew.lanes) {
        if (queue.enqueue(thread, n) != Outcome::done) device_atomic<uint32_t>(*plan.refused).fetch_add(1u, kRelaxed);
      }
    });
    return;
  }
  const uint32_t total = plan.nodes * plan.iterations;
  int spin = 0;
  for (;;) {
    const bool over = w.uniform([&]() -> bool {
      return device_atomic<uint32_t>(*plan.done).load(kRelaxed) >= total ||
             device_atomic<uint32_t>(*plan.refused).load(kRelaxed) != 0 ||
             system_atomic<uint32_t>(*plan.queue.abort).load(kRelaxed) != 0;
    });
    if (over) return;
    auto got = w.spill(Uint(0u));
    w.for_lanes(here, [&](int i) {
      const uint32_t thread = first + uint32_t(i);
      uint32_t item = 0;
      if (queue.dequeue(thread, item) != Outcome::done) return;
      pass_rank(queue, plan, thread, item);
      got.set(i, 1u);
    });
    const uint32_t n = w.reduce_add(got.lanes());
    if (n > 0) {
      w.once([&] { device_atomic<uint32_t>(*plan.done).fetch_add(n, kRelaxed); });
      spin = 0;
    } else {
      pause(spin++);
    }
  }
}

}  // namespace queue_lab
BROKKR_MACHINE_END

// The scheduling experiments: the same text on every machine.

BROKKR_MACHINE_BEGIN
namespace schedule_lab {
using namespace brokkr::lab;

// Does a task's multiply-adds and reads. Its number determines the mixture, 0.5 .. 1.5 times the mean of each. The
// result goes to memory that nothing reads.
BROKKR_FN void work(Warp& w, const SchedulePlan& plan, uint32_t number, uint32_t mean_adds, uint32_t mean_reads) {
  const uint32_t draw = drawn_priority(number, plan.seed ^ 0x5bd1e995u);
  const uint32_t adds = uint32_t(uint64_t(mean_adds) * ((1u << 23) + draw) >> 24);
  const uint32_t reads = uint32_t(uint64_t(mean_reads) * ((1u << 23) + draw) >> 24);
  Float value = to_float(w.lane());
  const Float step = to_float(Int(int(draw & 0xffu)));
  for (uint32_t k = 0; k < adds; ++k) value = value * Float(0.999f) + step;
  Uint at = as_uint(w.lane()) * Uint(977u) + Uint(draw), sum = Uint(0u);
  for (uint32_t k = 0; k < reads; ++k) {
    sum = sum + w.gather(plan.buffer, as_int(at & Uint(kScheduleBuffer - 1)), Mask(true));
    at = at * Uint(0x9e3779b1u) + Uint(k);
  }
  if (w.any(value == Float(-1.0f) && sum == Uint(1u))) w.store(plan.buffer, sum);
}

struct Context {
  const SchedulePlan& plan;
  template <class Worker>
  BROKKR_FN void seed(Worker& worker);
};

struct WorkTask {
  static constexpr int kId = 0, kThreads = 32, kWords = 4;
  template <class Worker>
  BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int thread, Mask active) {
    Warp& w = worker.warp();
    if (!w.any(active && thread == Int(0))) return;  // a task is work for one warp, whatever its width
    const SchedulePlan& plan = worker.context().plan;
    const uint32_t key = w.broadcast(payload[0], 0), deadline = w.broadcast(payload[1], 0);
    const uint32_t number = w.broadcast(payload[2], 0);
    const uint32_t at =
        w.uniform([&]() -> uint32_t { return device_atomic<uint32_t>(plan.begun[0]).fetch_add(1, kRelaxed); });
    const bool shares = plan.work == ScheduleWork::quotas;
    const uint64_t busy = shares ? w.uniform([]() -> uint64_t { return clock_ns(true); }) : 0;
    if (plan.work == ScheduleWork::deadlines) {
      work(w, plan, number, plan.job_adds[key], plan.job_reads[key]);
    } else if (at < plan.limit) {
      work(w, plan, number, plan.multiply_adds, plan.memory_operations);
    }
    const uint64_t end = worker.now();
    const uint64_t took = shares ? w.uniform([]() -> uint64_t { return clock_ns(true); }) - busy : 0;
    if (shares) {
      w.once([&] { device_atomic<uint64_t>(worker.user()[key]).fetch_add(took, kRelaxed); });
    }
    if (at < plan.limit) {
      w.once([&] { plan.log[at] = {number, key, uint32_t(took), int32_t(end / 1000) - int32_t(deadline)}; });
    }
    if (at + 1 == plan.limit) w.once([&] { plan.span_ns[1] = end; });
    if (plan.work != ScheduleWork::deadlines && at + 1 < plan.limit) {
      const uint32_t next = plan.tasks + at;  // the task started as number `at` creates task tasks + at
      const uint32_t its = plan.work == ScheduleWork::quotas ? key : drawn_priority(next, plan.seed);
      put(worker, its, 0, next, 1);
    }
  }
  // Creates `count` more tasks, with the next numbers.
  template <class Worker>
  BROKKR_FN static void put(Worker& worker, uint32_t key, uint32_t deadline, uint32_t number, int count) {
    Warp& w = worker.warp();
    const Uint payload[4] = {Uint(key), Uint(deadline), Uint(number) + as_uint(w.lane()), Uint(0u)};
    put(worker, payload, w.first_lanes(count));
  }
  template <class Worker>
  BROKKR_FN static void put(Worker& worker, const Uint (&payload)[4], Mask m) {
    Warp& w = worker.warp();
    const int wanted = w.count(m), in = w.count(worker.template enqueue<WorkTask>(payload, m));
    if (in < wanted) {
      w.once(
          [&] { device_atomic<uint32_t>(worker.context().plan.begun[2]).fetch_add(uint32_t(wanted - in), kRelaxed); });
    }
  }
};

// Creates tasks of six jobs at their intervals until the time is up. If a turn leaves a fraction of a task over, the
// next turn adds it.
template <class Worker>
BROKKR_FN void control(Worker& worker, const SchedulePlan& plan) {
  Warp& w = worker.warp();
  uint32_t due[kScheduleJobs] = {}, parts[kScheduleJobs] = {}, number = 0;
  for (int spin = 0;;) {
    const uint32_t now = uint32_t(worker.now() / 1000);
    if (now >= plan.duration_us) break;
    bool made = false;
    for (uint32_t job = 0; job < kScheduleJobs; ++job) {
      if (now < due[job]) continue;
      parts[job] += plan.load * plan.per_turn[job] * plan.job_workers;
      const uint32_t count = parts[job] / kThesisBlocks;
      parts[job] %= kThesisBlocks;
      for (uint32_t i = 0; i < count; i += uint32_t(kWidth)) {
        const uint32_t n = count - i < uint32_t(kWidth) ? count - i : uint32_t(kWidth);
        WorkTask::put(worker, job, due[job] + plan.interval_us[job], number, int(n));
        number += n;
      }
      due[job] += plan.interval_us[job];
      made = true;
    }
    // Sleep soon: continuous polling of the clock would take a core from the workers.
    spin = made ? 0 : spin + 1;
    if (!made) pause(spin);
    if (w.uniform([&]() -> bool { return system_atomic<uint32_t>(*plan.abort).load(kRelaxed) != 0; })) break;
  }
  w.once([&] { device_atomic<uint32_t>(plan.begun[1]).store(number, kRelaxed); });
}

template <class Worker>
BROKKR_FN void Context::seed(Worker& worker) {
  const uint32_t workers = plan.crew.warps, me = worker.number();
  if (plan.work == ScheduleWork::deadlines) {
    if (me + 1 == workers) control(worker, plan);
    return;
  }
  if (plan.work == ScheduleWork::direct) {
    for (uint32_t number = me; number < plan.limit; number += workers) {
      work(worker.warp(), plan, number, plan.multiply_adds, plan.memory_operations);
    }
    return;
  }
  Warp& w = worker.warp();
  for (uint32_t at = me * uint32_t(kWidth); at < plan.tasks; at += workers * uint32_t(kWidth)) {
    const Mask m = w.first_lanes(int(plan.tasks - at));
    auto key = w.spill(Uint(0u));
    w.for_lanes(m, [&](int i) {
      const uint32_t number = at + uint32_t(i);
      key.set(i, plan.work == ScheduleWork::quotas ? number % kScheduleProcesses : drawn_priority(number, plan.seed));
    });
    const Uint payload[4] = {key.lanes(), Uint(0u), Uint(at) + as_uint(w.lane()), Uint(0u)};
    WorkTask::put(worker, payload, m);
  }
  // Queue all tasks before any is taken.
  const uint64_t now = worker.now();
  w.once([&] {
    device_atomic<uint32_t> ready(plan.begun[3]);
    if (ready.fetch_add(1, kAcqRel) + 1 == workers) plan.span_ns[0] = now;
    for (int spin = 0; ready.load(kAcquire) < workers; ++spin) {
      if (system_atomic<uint32_t>(*plan.abort).load(kRelaxed) != 0) break;
      pause(spin);
    }
  });
}

using Leaf = Queue<HasTasks, WorkTask>;
using Fifo = Leaf;
using FairBuckets = Repeat<int(kScheduleProcesses), FairShare<ByNumber<0>>, Leaf>;
using FairSorted = Queue<SortedByShare<0, int(kScheduleProcesses)>, WorkTask>;
using Buckets16 = Repeat<16, Discrete<0>, Leaf>;
using Buckets128 = Repeat<128, Discrete<0>, Leaf>;
using PrioritySorted = Queue<SortedByPriority<0>, WorkTask>;
using EdfSorted = Queue<SortedByDeadline<1>, WorkTask>;
using EdfPerJob = Repeat<int(kScheduleJobs), PerJob<0, 1>, Queue<HowMany, WorkTask>>;
using EdfDiscretized = Repeat<256, DeadlineSlices<1, 2500>, Leaf>;
using EdfWrapAround = Repeat<256, WrapAroundSlices<1, 40>, Leaf>;
using SoftshellFair = Softshell<SortedByShare<0, int(kScheduleProcesses)>, WorkTask>;
using SoftshellPriority = Softshell<SortedByPriority<0>, WorkTask>;
using SoftshellEdf = Softshell<SortedByDeadline<1>, WorkTask>;
// Without the parallel reduction: one lane searches from the highest class to the lowest.
struct Buckets128OneLane : Buckets128 {
  template <class View>
  BROKKR_FN static Choice choose(Warp& w, const View& view, const TreePlace&) {
    const int leaf = w.uniform([&]() -> int {
      for (int c = kLeaves - 1; c >= 0; --c) {
        if (!view.is_excluded(c) && Broker<>(view.queues.control[c], view.queues.capacity).available() > 0) return c;
      }
      return -1;
    });
    return {leaf < 0 ? uint64_t(0) : uint64_t(1), leaf};
  }
};

// A program is the root of a tree, or a scheduler with its own memory.
template <class Program>
concept Packaging = requires {
  Program::kPackages;
};

template <class Program>
BROKKR_FN void run_program(Warp& w, const SchedulePlan& plan, int number) {
  Context context{plan};
  const auto prepare = [&](auto& memory) {
    memory.stop = memory.queues.abort = plan.abort;
    memory.maintainers = plan.work == ScheduleWork::direct ? 0 : plan.sorters;
  };
  if constexpr (Packaging<Program>) {
    auto memory = Program::Memory::layout(plan.memory, plan.capacity);
    prepare(memory.program);
    Program::run(w, memory, context, uint32_t(number));
  } else {
    auto memory = ProgramMemory<Program>::layout(plan.memory, plan.capacity);
    prepare(memory);
    Worker<Program, Context>(w, memory, context, uint32_t(number)).run();
  }
}

template <class Program>
static ProgramStart start_of(const SchedulePlan& plan) {
  const auto start = [&](auto tree, size_t bytes) -> ProgramStart {
    using Memory = ProgramMemory<decltype(tree)>;
    return {bytes, Memory::shared_at(plan.capacity), Memory::user_at(plan.capacity), Memory::open_at(plan.capacity)};
  };
  if constexpr (Packaging<Program>) {
    return start(typename Program::Root{}, Program::Memory::bytes(plan.capacity, plan.crew.warps));
  } else {
    return start(Program{}, ProgramMemory<Program>::bytes(plan.capacity, plan.crew.warps));
  }
}

}  // namespace schedule_lab
BROKKR_MACHINE_END

#define BROKKR_EVERY_PROGRAM(X)             \
  X(fifo, Fifo)                             \
  X(fair_buckets, FairBuckets)              \
  X(fair_sorted, FairSorted)                \
  X(buckets16, Buckets16)                   \
  X(buckets128, Buckets128)                 \
  X(buckets128_one_lane, Buckets128OneLane) \
  X(priority_sorted, PrioritySorted)        \
  X(edf_sorted, EdfSorted)                  \
  X(edf_per_job, EdfPerJob)                 \
  X(edf_discretized, EdfDiscretized)        \
  X(edf_wrap_around, EdfWrapAround)         \
  X(softshell_fair, SoftshellFair)          \
  X(softshell_priority, SoftshellPriority)  \
  X(softshell_edf, SoftshellEdf)

// The table of all experiments, the same for every build. Each build defines kernel<Plan, body>(), which runs a body.

#define BROKKR_QUEUE_KERNELS(kind, Class) \
  {&Class<>::bytes, &Class<>::prepare, kernel<MixPlan, &run_mix<Class<>>>(), kernel<RankPlan, &run_rank<Class<>>>()},
#define BROKKR_PROGRAM_KERNEL(program, Root) {&start_of<Root>, kernel<SchedulePlan, &run_program<Root>>()},
#define BROKKR_EVERY_KERNEL                                                           \
  {                                                                                   \
    kWidth, kernel<AtomicPlan, &run_atomics>(), kernel<ElementPlan, &run_elements>(), \
        {BROKKR_EVERY_QUEUE(BROKKR_QUEUE_KERNELS)}, {                                 \
      BROKKR_EVERY_PROGRAM(BROKKR_PROGRAM_KERNEL)                                     \
    }                                                                                 \
  }
