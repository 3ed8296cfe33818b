// CBQ: the circular buffer queue [Orozco12].
//
// A fetch-and-add gives an operation its place, where the operation waits for its turn, and for room or for an element.
// The queue never refuses an operation: of lanes that run one after another, none may wait for an element of a later
// lane.
#pragma once

#include "lab/queue/ticket_ring.h"

BROKKR_MACHINE_BEGIN

template <class Observer = Unobserved>
class CircularBufferQueue : public TicketRing<Observer> {
  using Base = TicketRing<Observer>;
  using Base::add, Base::control;

 public:
  static constexpr QueueKind kKind = QueueKind::cbq;
  BROKKR_FN explicit CircularBufferQueue(const QueueStorage& s) : Base(s) {}

  BROKKR_FN Outcome enqueue(uint32_t, uint32_t value) const { return this->put(add(control().tail.word, 1u), value); }
  BROKKR_FN Outcome dequeue(uint32_t, uint32_t& value) const { return this->get(add(control().head.word, 1u), value); }
};

BROKKR_MACHINE_END
