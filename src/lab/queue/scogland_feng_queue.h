// SFQ: the blocking queue of [Scogland15].
//
// Places by fetch-and-add, a turn per slot, and a word that closes the queue, which every operation reads when it
// begins and while it waits. One lane of a warp uses the queue at a time: lanes that wait together would stop the lanes
// that they wait for.
#pragma once

#include "lab/queue/ticket_ring.h"

BROKKR_MACHINE_BEGIN

template <class Observer = Unobserved>
class ScoglandFengQueue : public TicketRing<Observer> {
  using Base = TicketRing<Observer>;
  using Base::add, Base::load, Base::store, Base::control;

 public:
  static constexpr QueueKind kKind = QueueKind::sfq;
  BROKKR_FN explicit ScoglandFengQueue(const QueueStorage& s) : Base(s) {}

  // aborted: the queue is closed.
  BROKKR_FN Outcome enqueue(uint32_t, uint32_t value) const {
    if (closed()) return Outcome::aborted;
    return this->put(add(control().tail.word, 1u), value, [&] { return closed(); });
  }
  BROKKR_FN Outcome dequeue(uint32_t, uint32_t& value) const {
    if (closed()) return Outcome::aborted;
    return this->get(add(control().head.word, 1u), value, [&] { return closed(); });
  }
  BROKKR_FN void close() const { store(control().closed.word, 1u); }

 private:
  BROKKR_FN bool closed() const { return load(control().closed.word) != 0; }
};

BROKKR_MACHINE_END
