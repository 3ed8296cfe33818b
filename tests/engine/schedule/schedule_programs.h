// The tests' programs: one tree of buckets per policy, over the same jobs.
#pragma once

#include "schedule/policies.h"
#include "schedule/task_loop.h"
#include "schedule_plan.h"

BROKKR_MACHINE_BEGIN
namespace schedule_programs {
using namespace brokkr::schedule_test;

BROKKR_FN void wait_ns(uint64_t ns) {
  for (const uint64_t begin = clock_ns(); clock_ns() - begin < ns;) pause(0);
}

// kId distinguishes kinds; kThreadsEach lanes work on one task.
template <int kKind, int kThreadsEach>
struct JobTask {
  static constexpr int kId = kKind, kThreads = kThreadsEach, kWords = 4;
  template <class Worker>
  BROKKR_FN static void execute(Worker& worker, const Uint (&payload)[kWords], Int thread, Mask active) {
    Warp& w = worker.warp();
    const Plan& plan = worker.context().plan;
    const Mask first = active && thread == Int(0);
    if (!w.any(first)) return;
    const auto id_of = w.spill(payload[2]), key_of = w.spill(payload[0]);
    auto again = w.spill(Uint(0u));
    w.for_lanes(first, [&](int i) {
      const uint64_t begin = clock_ns();
      plan.log[device_atomic<uint32_t>(*plan.ran).fetch_add(1, kRelaxed)] = id_of[i];
      if (plan.work_ns > 0) wait_ns(uint64_t(plan.work_ns) * (plan.uneven ? 1 + key_of[i] : 1));
      const uint64_t ns = clock_ns() - begin;
      device_atomic<uint64_t> longest(*plan.longest_ns);
      uint64_t seen = longest.load(kRelaxed);
      while (seen < ns && !longest.compare_exchange_weak(seen, ns, kRelaxed)) {
      }
      if (plan.respawns == 0) return;
      const uint32_t made = device_atomic<uint32_t>(*plan.respawned).fetch_add(1, kRelaxed);
      again.set(i, uint32_t(made < plan.respawns));
      if (made + 1 == plan.respawns && plan.snapshot != nullptr) {
        for (int k = 0; k < 5; ++k) plan.snapshot[k] = device_atomic<uint64_t>(plan.shared[k]).load(kRelaxed);
        plan.snapshot[5] = 1;
      }
    });
    const int n = w.count(first);
    w.once([&] {
      device_atomic<uint32_t>(plan.lanes[0]).fetch_add(1, kRelaxed);
      device_atomic<uint32_t>(plan.lanes[1]).fetch_add(uint32_t(n), kRelaxed);
    });
    if (plan.respawns > 0) worker.template enqueue<JobTask>(payload, first && again.lanes() != Uint(0u));
  }
};
using OneJob = JobTask<0, 32>;   // a warp works on one task: decisions are single tasks
using SmallJob = JobTask<0, 1>;  // a lane works on one task: decisions are full warps of them
using OtherJob = JobTask<1, 1>;

// Puts the seeds (worker 0 alone) and records those that a full queue refuses.
template <class Root>
struct Seeds {
  const Plan& plan;
  template <class Worker>
  BROKKR_FN void seed(Worker& worker) {
    if (worker.number() != 0) return;
    Warp& w = worker.warp();
    const auto* words = reinterpret_cast<const uint32_t*>(plan.seeds);
    for (uint32_t at = 0; at < plan.seed_count; at += uint32_t(kWidth)) {
      const Mask m = w.first_lanes(int(plan.seed_count - at));
      Uint payload[4];
      const Int where = (w.lane() + Int(int(at))) * Int(4);
      for (int k = 0; k < 4; ++k) payload[k] = w.gather(words, where + Int(k), m);
      put(worker, payload, m);
    }
  }

 private:
  template <class Worker>
  BROKKR_FN void put(Worker& worker, const Uint (&payload)[4], Mask m) {
    one<OneJob>(worker, payload, m);
    one<SmallJob>(worker, payload, m && payload[3] == Uint(0u));
    one<OtherJob>(worker, payload, m && payload[3] == Uint(1u));
  }
  template <class Task, class Worker>
  BROKKR_FN void one(Worker& worker, const Uint (&payload)[4], Mask m) {
    if constexpr (Root::template kAccepts<Task>) {
      const Mask lost = m && !worker.template enqueue<Task>(payload, m);
      const auto id_of = worker.warp().spill(payload[2]);
      worker.warp().for_lanes(lost, [&](int i) {
        plan.refused_ids[1 + device_atomic<uint32_t>(plan.refused_ids[0]).fetch_add(1, kRelaxed)] = id_of[i];
      });
    }
  }
};

template <class Root>
static Program program(const char* name) {
  using Memory = ProgramMemory<Root>;
  static constexpr auto memory_of = [](const Plan& plan) {
    Memory memory = Memory::layout(plan.memory, plan.capacity);
    memory.maintainers = plan.maintainers;
    return memory;
  };
  return {name,
          Root::kLeaves,
          Root::kShared,
          Memory::kWords,
          [](uint32_t capacity, uint32_t workers) { return Memory::bytes(capacity, workers); },
          [](const Plan& plan) {
            *memory_of(plan).open = plan.workers;
            if (plan.begun_ns != 0) *memory_of(plan).begin_ns = clock_ns() - plan.begun_ns;
          },
          [](const Plan& plan) { return memory_of(plan).shared; },
          [](const Plan& plan) { return memory_of(plan).user; },
          [](const Plan& plan) { return memory_of(plan).stop; },
          [](const Plan& plan) { return *memory_of(plan).refused; },
          [](const Plan& plan, int worker) {
            Warp w;
            const Memory memory = memory_of(plan);
            Seeds<Root> seeds{plan};
            Worker<Root, Seeds<Root>>(w, memory, seeds, uint32_t(worker)).run();
          }};
}

// Words of a job: 0 key, 1 deadline.
using Leaf = Queue<HasTasks, OneJob>;
using Counted = Queue<HowMany, OneJob>;
using Fifo = Leaf;
using Priorities16 = Repeat<16, Discrete<0>, Leaf>;
using Decreasing16 = Repeat<16, DecreasingPriorities<0>, Leaf>;
using DecreasingKinds = Repeat<8, DecreasingPriorities<0>,
                               Bucket<RoundRobin<ByTask>, Queue<HasTasks, SmallJob>, Queue<HasTasks, OtherJob>>>;
using Priorities80 = Repeat<80, Discrete<0>, Leaf>;  // more buckets than a warp has lanes
using Turns = Repeat<4, RoundRobin<ByNumber<0>>, Leaf>;
using Fair = Repeat<5, FairShare<ByNumber<0>>, Leaf>;
using FairSorted = Queue<SortedByShare<0, 5>, OneJob>;
using DeadlineSorted = Queue<SortedByDeadline<1>, OneJob>;
using DeadlinePerJob = Repeat<6, PerJob<0, 1>, Counted>;
using DeadlineSliced = Repeat<16, DeadlineSlices<1, 1000>, Leaf>;
using DeadlineRing = Repeat<16, WrapAroundSlices<1, 100000>, Leaf>;
using PrioritySorted = Queue<SortedByPriority<0>, OneJob>;
// [Kerbl18, Fig. 5.2d]: priorities above, a queue per type below, the longest queue first [Kerbl18, Fig. 5.3].
using Kinds = Bucket<Fullest<ByTask>, Queue<HowMany, SmallJob>, Queue<HowMany, OtherJob>>;
using PriorityOfKinds = Repeat<2, Discrete<0>, Kinds>;
using KindsApart = Bucket<RoundRobin<ByTask>, Queue<HasTasks, SmallJob>, Queue<HasTasks, OtherJob>>;
using KindsByWarps = Bucket<FullFirst<ByTask>, Queue<HowMany, SmallJob>, Queue<HowMany, OtherJob>>;
using KindsMixed = Queue<HasTasks, SmallJob, OtherJob>;

// Trees whose leaves are rated in one reduction, and the same trees with buckets that are asked one by one.
template <class Callbacks>
struct OneByOne : Callbacks {
  BROKKR_FN static Ulong propagate(const BucketState& state, Int child, Ulong info) {
    return Callbacks::propagate(state, child, info);
  }
};
template <class Callbacks>
struct Together : Callbacks {};
template <template <class> class How>
using Nested = Repeat<4, How<Discrete<0>>,
                      Repeat<3, How<RoundRobin<ByNumber<3>>>,
                             Bucket<How<Fullest<ByTask>>, Queue<HowMany, SmallJob>, Queue<HowMany, OtherJob>>>>;
template <template <class> class How>
using ManyKinds = Repeat<128, How<Discrete<0>>,
                         Bucket<How<RoundRobin<ByTask>>, Queue<HasTasks, SmallJob>, Queue<HasTasks, OtherJob>>>;
// Both children may hold equally many.
template <template <class> class How>
using Tied = Repeat<2, How<Fullest<ByNumber<3>>>,
                    Bucket<How<Fullest<ByTask>>, Queue<HowMany, SmallJob>, Queue<HowMany, OtherJob>>>;
static_assert(RatesLanes<Together<RoundRobin<ByTask>>> && !RatesLanes<OneByOne<RoundRobin<ByTask>>>);

}  // namespace schedule_programs
BROKKR_MACHINE_END
