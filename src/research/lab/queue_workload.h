// The queue experiments: the same text on every machine.
#pragma once

#include "lab/plans.h"
#include "lab/queue/every_queue.h"

BROKKR_MACHINE_BEGIN
namespace queue_lab {
using namespace brokkr::lab;

template <class Queue>
BROKKR_FN void run_mix(Warp& w, const MixPlan& plan, int warp) {
  const Queue queue(plan.queue);
  const uint32_t first = uint32_t(warp) * plan.crew.lanes;
  const Mask here = w.first_lanes(int(plan.crew.lanes));
  auto loops = w.spill(Uint(0u));
  w.for_lanes(here, [&](int i) {
    const uint32_t range = plan.most_loops - plan.least_loops + 1;
    loops.set(i, plan.least_loops + scramble(plan.seed ^ ((first + uint32_t(i)) * 0x9e3779b9u)) % range);
  });
  const Uint mine = loops.lanes();
  Uint enqueued = Uint(0u), dequeued = Uint(0u), full = Uint(0u), empty = Uint(0u);
  Float work = Float(1.0f);
  for (uint32_t loop = 0;; ++loop) {
    const Mask active = here && mine > Uint(loop);
    if (!w.any(active)) break;
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
    // All lanes enqueue before any dequeues, so that even lanes that run one after another never wait for each other.
    const Uint wants = tried.lanes();
    auto value = w.spill(Uint(0u));
    const Mask takes = active && (wants & Uint(2u)) != Uint(0u);
    w.for_lanes(takes, [&](int i) {
      uint32_t v = 0;
      if (queue.dequeue(first + uint32_t(i), v) == Outcome::done) {
        done.set(i, done[i] | 2u);
        value.set(i, v);
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
  for (uint32_t loop = 0; loop < plan.loops; ++loop) {
    w.for_lanes(here, [&](int i) {
      const uint32_t own = (1u + uint32_t(warp) * plan.crew.lanes + uint32_t(i)) * 16u;
      device_atomic<uint32_t> word(plan.words[plan.access == AtomicAccess::contended ? 0u : own]);
      if (plan.access == AtomicAccess::plain) {
        word.store(word.load(kRelaxed) + 1u, kRelaxed);
      } else {
        word.fetch_add(1u, kRelaxed);
      }
    });
  }
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
