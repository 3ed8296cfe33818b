// NSFQ: the non-blocking interface of [Scogland15].
//
// A place is taken by compare-and-swap, and only while the counters say that the queue is not full, or not empty. Both
// counters only grow: a counter that is read before and after the other, with the same value, had that value when the
// other was read. An operation takes effect at the compare-and-swap; after it, it only waits for the slot's previous
// user.
#pragma once

#include "lab/queue/ticket_ring.h"

BROKKR_MACHINE_BEGIN

template <class Observer = Unobserved>
class ScoglandFengNonblockingQueue : public TicketRing<Observer> {
  using Base = TicketRing<Observer>;
  using Base::load, Base::swap_if, Base::control, Base::capacity;

 public:
  static constexpr QueueKind kKind = QueueKind::nsfq;
  BROKKR_FN explicit ScoglandFengNonblockingQueue(const QueueStorage& s) : Base(s) {}

  BROKKR_FN Outcome enqueue(uint32_t, uint32_t value) const {
    auto& c = control();
    for (;;) {
      const uint32_t tail = load(c.tail.word);
      const uint32_t head = load(c.head.word);
      if (int32_t(tail - head) >= capacity()) return Outcome::refused;
      if (swap_if(c.tail.word, tail, tail + 1u)) return this->put(tail, value);
    }
  }
  BROKKR_FN Outcome dequeue(uint32_t, uint32_t& value) const {
    auto& c = control();
    for (;;) {
      const uint32_t head = load(c.head.word);
      const uint32_t tail = load(c.tail.word);
      if (int32_t(tail - head) <= 0) return Outcome::refused;
      if (swap_if(c.head.word, head, head + 1u)) return this->get(head, value);
    }
  }
};

BROKKR_MACHINE_END
