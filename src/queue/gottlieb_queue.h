// GQ: Gottlieb, Lubachevsky and Rudolph, "Basic Techniques for the Efficient Coordination of Very Large
// Numbers of Cooperating Sequential Processors", 1983.
//
// Two counters bound the queue's length: `upper` counts elements from before they are written until after
// they are read, `lower` from after they are written until before they are read. Each operation tests one of
// them, changes it and tests again. Not linearizable: while one enqueue is slow, a later one that is complete
// can be denied by "empty" (Blelloch et al. 2003).
#pragma once

#include "queue/ticket_ring.h"

BROKKR_MACHINE_BEGIN

template <class Observer = Unobserved>
class GottliebQueue : public TicketRing<Observer> {
  using Base = TicketRing<Observer>;
  using Base::add, Base::load, Base::control, Base::capacity;

 public:
  static constexpr QueueKind kKind = QueueKind::gq;
  BROKKR_FN explicit GottliebQueue(const QueueStorage& s) : Base(s) {}

  BROKKR_FN Outcome enqueue(uint32_t, uint32_t value) const {
    auto& c = control();
    // Test, increment, retest.
    if (int32_t(load(c.upper.word)) >= capacity()) return Outcome::refused;
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
    // Test, decrement, retest.
    if (int32_t(load(c.lower.word)) <= 0) return Outcome::refused;
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
