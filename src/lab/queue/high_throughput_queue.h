// HTQ: the high-throughput queue [Orozco12].
//
// The circular buffer queue (lab/queue/circular_buffer_queue.h) behind two counters: `upper` counts slots that are
// taken, `lower` elements that can be dequeued. An operation changes its counter first and takes the change back where
// the counter went beyond its limit. Not linearizable, for the same reason as GQ.
#pragma once

#include "lab/queue/ticket_ring.h"

BROKKR_MACHINE_BEGIN

template <class Observer = Unobserved>
class HighThroughputQueue : public TicketRing<Observer> {
 protected:
  using Base = TicketRing<Observer>;
  using Base::add, Base::control, Base::capacity;

 public:
  static constexpr QueueKind kKind = QueueKind::htq;
  BROKKR_FN explicit HighThroughputQueue(const QueueStorage& s) : Base(s) {}

  BROKKR_FN Outcome enqueue(uint32_t, uint32_t value) const {
    auto& c = control();
    if (int32_t(add(c.upper.word, 1u)) >= capacity()) {
      add(c.upper.word, 0u - 1u);
      return Outcome::refused;
    }
    const Outcome outcome = this->put(add(c.tail.word, 1u), value);
    add(c.lower.word, 1u);
    return outcome;
  }
  BROKKR_FN Outcome dequeue(uint32_t, uint32_t& value) const {
    auto& c = control();
    if (int32_t(add(c.lower.word, 0u - 1u)) <= 0) {
      add(c.lower.word, 1u);
      return Outcome::refused;
    }
    const Outcome outcome = this->get(add(c.head.word, 1u), value);
    add(c.upper.word, 0u - 1u);
    return outcome;
  }
};

BROKKR_MACHINE_END
