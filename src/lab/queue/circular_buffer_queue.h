// CBQ: the circular buffer queue of Orozco et al., "Toward High-Throughput Algorithms on Many-Core Architectures",
// 2012.
//
// A fetch-and-add gives an operation its place; there it waits for its turn, for room and for an element as well. It
// never refuses: of many lanes that run one after another, none may need what a later one brings.
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
