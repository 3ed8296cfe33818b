// Warps that put elements into queues of rasterizers and empty them by their bits (schedule/rasterizer_bits.h), for the
// tests of every machine.
#pragma once

#include "queue/broker_queue.h"
#include "schedule/rasterizer_bits.h"

namespace brokkr::schedule_test {

struct BitsPlan {
  QueueMemory<1> queues;  // one queue per rasterizer, their number a power of two; each has room for all elements
  RasterizerBitTables bits;
  uint32_t* taken;       // of each rasterizer: elements taken under a claim
  uint32_t* ready;       // warps that have put all their elements
  uint32_t warps, each;  // warps, and elements that each of them puts
};

}  // namespace brokkr::schedule_test

BROKKR_MACHINE_BEGIN

// Empties non-empty queues by their bits. Returns whether there was one.
BROKKR_FN bool take_by_bits(Warp& w, const schedule_test::BitsPlan& plan, uint32_t first) {
  BrokerQueues<1> queues(plan.queues);
  const RasterizerBits bits(plan.bits);
  const uint32_t rasterizers = uint32_t(plan.queues.queues);
  bool found = false;
  for (uint32_t i = 0; i < rasterizers; ++i) {
    const uint32_t r = (first + i) & (rasterizers - 1);
    if ((w.uniform([&] { return bits.may_have_work(r / 32, true); }) >> (r & 31) & 1u) == 0) continue;
    if (!w.uniform([&] { return bits.claim(r, true); })) continue;
    found = true;
    w.sync();
    uint32_t taken = 0;
    Uint element[1];
    for (int n = queues.dequeue(w, int(r), element, w.width); n > 0; n = queues.dequeue(w, int(r), element, w.width)) {
      taken += uint32_t(n);
    }
    w.once([&] { plan.taken[r] += taken; });
    w.once([&] { bits.give_back(r); });
  }
  return found;
}

// Each warp puts its elements, one per queue, and empties queues in between. It ends when all warps have put theirs and
// it finds no more. An element that still waits then would wait for ever.
BROKKR_FN void put_and_take(Warp& w, const schedule_test::BitsPlan& plan, uint32_t number) {
  BrokerQueues<1> queues(plan.queues);
  const RasterizerBits bits(plan.bits);
  const int rasterizers = plan.queues.queues;
  const Uint element[1] = {number};
  for (uint32_t put = 0; put < plan.each; ++put) {
    const Int r = Int(int(number * 5 + put * 7)) & (rasterizers - 1);
    queues.scatter_enqueue(w, r, element, w.first_lanes(1), [&](int q) { bits.note_filled(uint32_t(q)); });
    if (put % 2 == number % 2) take_by_bits(w, plan, number * 11 + put);
  }
  w.once([&] { device_atomic<uint32_t>(*plan.ready).fetch_add(1, kAcqRel); });
  for (int spin = 0;; ++spin) {
    const bool all = w.uniform([&] { return device_atomic<uint32_t>(*plan.ready).load(kAcquire) == plan.warps; });
    w.sync();
    if (!take_by_bits(w, plan, number) && all) return;
    pause(spin);
  }
}

BROKKR_MACHINE_END
