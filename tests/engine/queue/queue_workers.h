// Runs scripts and stress plans: the same code on every machine.
#pragma once

#include "queue/broker_queue.h"
#include "queue_program.h"

BROKKR_MACHINE_BEGIN
namespace queue_workers {
using namespace brokkr::queue_test;

template <int kWords>
BROKKR_FN void fill(Uint (&element)[kWords], Uint id) {
  for (int k = 0; k < kWords; ++k) element[k] = word_of(id, k);
}
// Returns the lanes among 0 .. n - 1 whose words do not belong together.
template <int kWords>
BROKKR_FN Mask torn_lanes(Warp& w, const Uint (&element)[kWords], int n) {
  Mask torn(false);
  for (int k = 1; k < kWords; ++k) torn = torn || element[k] != word_of(element[0], k);
  return torn && w.first_lanes(n);
}
BROKKR_FN uint32_t scramble(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}
BROKKR_FN uint32_t all_lanes() { return kWidth == 32 ? ~0u : (1u << (kWidth & 31)) - 1u; }
BROKKR_FN void add(Warp& w, uint32_t* p, int n) {
  w.once([&] { device_atomic<uint32_t>(*p).fetch_add(uint32_t(n), kRelaxed); });
}
BROKKR_FN uint32_t read(Warp& w, uint32_t* p) {
  return w.uniform([&]() -> uint32_t { return device_atomic<uint32_t>(*p).load(kAcquire); });
}
BROKKR_FN bool stopped(Warp& w, uint32_t* abort) {
  return w.uniform([&]() -> bool { return system_atomic<uint32_t>(*abort).load(kRelaxed) != 0; });
}

template <int kWords>
BROKKR_FN void run_step(Warp& w, const QueueMemory<kWords>& memory, const Step& s, Result& r) {
  BrokerQueues<kWords> queues(memory);
  uint32_t one[kWords];
  Uint element[kWords];
  for (int k = 0; k < kWords; ++k) one[k] = word_of(s.id, k);
  fill(element, Uint(s.id) + as_uint(w.lane()));
  uint32_t value = 0;
  int got = 0;
  switch (s.op) {
    case Op::enqueue: value = queues.enqueue(w, s.queue, one); break;
    case Op::dequeue:
      value = queues.dequeue(w, s.queue, one);
      for (int k = 0; k < kWords; ++k) element[k] = Uint(one[k]);
      got = int(value);
      break;
    case Op::enqueue_lanes: value = w.ballot(queues.enqueue(w, s.queue, element, w.lanes_of(s.lanes))); break;
    case Op::dequeue_lanes: value = uint32_t(got = queues.dequeue(w, s.queue, element, s.n)); break;
    case Op::scatter: {
      const Int to = (Int(s.queue) + w.lane() * Int(s.n)) & Int(memory.queues - 1);
      queues.scatter_enqueue(w, to, element, w.lanes_of(s.lanes));
      break;
    }
    case Op::dequeue_all:
      if (queues.claim_all(w, s.queue, s.n)) value = uint32_t(got = queues.take(w, s.queue, element, s.n));
      break;
    case Op::size: value = uint32_t(queues.size(w, s.queue)); break;
  }
  const uint32_t torn = uint32_t(w.count(torn_lanes(w, element, got)));
  w.store(r.id, element[0], w.first_lanes(got));
  w.once([&] {
    r.torn = torn;
    r.value = value;
  });
}

template <int kWords>
BROKKR_FN void produce(Warp& w, const Plan<kWords>& plan, int producer) {
  BrokerQueues<kWords> queues(plan.memory);
  const uint32_t queue_mask = uint32_t(plan.memory.queues - 1);
  const uint32_t base = uint32_t(producer) << 26;
  int spin = 0;
  for (uint32_t sequence = 0, turn = 0; sequence < plan.per_producer && !stopped(w, plan.memory.abort); ++turn) {
    const uint32_t random = scramble(turn * 64u + uint32_t(producer));
    const uint32_t q = (random >> 8) & queue_mask;
    if (plan.put == Put::uniform) {
      uint32_t element[kWords];
      for (int k = 0; k < kWords; ++k) element[k] = word_of(base | q << 20 | sequence, k);
      while (!queues.enqueue(w, int(q), element) && !stopped(w, plan.memory.abort)) pause(spin++);
      sequence += 1;
      continue;
    }
    // A random set of lanes, no more than the remaining elements.
    const uint32_t left = plan.per_producer - sequence;
    Mask m = w.lanes_of((random | 1u << (turn % uint32_t(kWidth))) & all_lanes());
    const Int rank = w.inclusive_sum(select(m, Int(1), Int(0))) - Int(1);
    m = m && rank < Int(left < 64u ? int(left) : 64);
    const int n = w.count(m);
    const Uint mine = Uint(sequence) + as_uint(rank);
    Uint element[kWords];
    if (plan.put == Put::lanes) {
      fill(element, Uint(base | q << 20) | mine);
      while (w.any(m) && !stopped(w, plan.memory.abort)) {
        const Mask in = queues.enqueue(w, int(q), element, m);
        if (!w.any(in)) pause(spin++);
        m = m && !in;
      }
    } else {
      const Uint to = (mine * Uint(0x9e3779b1u) >> Uint(13u)) & Uint(queue_mask);
      fill(element, Uint(base) | to << Uint(20u) | mine);
      while (!w.uniform([&]() -> bool {
        device_atomic<uint32_t> credit(*plan.credit);
        if (int32_t(credit.fetch_sub(uint32_t(n), kAcquire)) >= n) return true;
        credit.fetch_add(uint32_t(n), kRelaxed);
        return false;
      })) {
        if (stopped(w, plan.memory.abort)) return;
        pause(spin++);
      }
      queues.scatter_enqueue(w, as_int(to), element, m);
    }
    sequence += uint32_t(n);
    spin = 0;
  }
}

template <int kWords>
BROKKR_FN void consume(Warp& w, const Plan<kWords>& plan, int consumer) {
  BrokerQueues<kWords> queues(plan.memory);
  const uint32_t total = uint32_t(plan.producers) * plan.per_producer;
  uint32_t* log = plan.log + size_t(consumer) * total;
  uint32_t received = 0;
  int spin = 0;
  for (uint32_t turn = 0; read(w, plan.consumed) < total && !stopped(w, plan.memory.abort); ++turn) {
    const uint32_t random = scramble(turn * 64u + uint32_t(consumer) + 17u);
    const int q = int((turn + uint32_t(consumer)) & uint32_t(plan.memory.queues - 1));
    const int want = 1 + int((random >> 4) & uint32_t(kWidth - 1));
    const Get get = plan.get == Get::mixed ? Get(random % 3u) : plan.get;
    Uint element[kWords];
    for (int k = 0; k < kWords; ++k) element[k] = Uint(0u);
    int got = 0;
    if (get == Get::uniform) {
      uint32_t one[kWords];
      got = queues.dequeue(w, q, one);
      if (got > 0) {
        for (int k = 0; k < kWords; ++k) element[k] = Uint(one[k]);
      }
    } else if (get == Get::lanes) {
      got = queues.dequeue(w, q, element, want);
    } else {
      // At the end, fewer than `want` may remain.
      int some = want;
      while (some > 0 && !queues.claim_all(w, q, some)) some /= 2;
      got = queues.take(w, q, element, some);
    }
    if (got == 0) {
      pause(spin++);
      continue;
    }
    spin = 0;
    const Mask here = w.first_lanes(got);
    const Mask elsewhere = ((element[0] >> Uint(20u)) & Uint(63u)) != Uint(uint32_t(q));
    const int spoiled = w.count(torn_lanes(w, element, got) || (elsewhere && here));
    if (spoiled > 0) add(w, plan.spoiled, spoiled);
    if (received + uint32_t(got) > total) return add(w, plan.spoiled, got);
    w.store(log + received, element[0], here);
    received += uint32_t(got);
    if (plan.put == Put::scatter) {
      w.once([&] { device_atomic<uint32_t>(*plan.credit).fetch_add(uint32_t(got), kRelease); });
    }
    add(w, plan.consumed, got);
  }
  w.once([&] { plan.received[consumer] = received; });
}

// Workers 0 .. producers - 1 produce, the others consume.
template <int kWords>
BROKKR_FN void run_worker(Warp& w, const Plan<kWords>& plan, int worker) {
  if (worker < plan.producers) {
    produce(w, plan, worker);
  } else {
    consume(w, plan, worker - plan.producers);
  }
}

template <int kWords>
BROKKR_FN void recycle(Warp& w, const Recycling<kWords>& plan, int worker) {
  BrokerQueues<kWords> queues(plan.memory);
  int spin = 0;
  for (uint32_t round = 0; round < plan.rounds && !stopped(w, plan.memory.abort);) {
    const int n = 1 + int(scramble(round * 64u + uint32_t(worker)) & uint32_t(kWidth - 1));
    if (!queues.claim_all(w, 0, n)) {
      pause(spin++);
      continue;
    }
    spin = 0;
    ++round;
    Uint element[kWords];
    if (queues.take(w, 0, element, n) != n) return add(w, plan.spoiled, 1);
    const Mask mine = w.first_lanes(n);
    const auto slot_of = w.spill(element[0]);
    auto met = w.spill(Uint(0u));
    w.for_lanes(mine,
                [&](int i) { met.set(i, device_atomic<uint32_t>(plan.owned[slot_of[i]]).exchange(1u, kRelaxed)); });
    w.for_lanes(mine, [&](int i) { device_atomic<uint32_t>(plan.owned[slot_of[i]]).store(0u, kRelaxed); });
    const Mask refused = mine && !queues.enqueue(w, 0, element, mine);
    const int spoiled = w.count(refused || met.lanes() != Uint(0u) || torn_lanes(w, element, n));
    if (spoiled > 0) add(w, plan.spoiled, spoiled);
  }
}

}  // namespace queue_workers
BROKKR_MACHINE_END
