// Queues that assign places in a ring by ticket and wait for their turn there: CBQ, HTQ, GQ, SFQ, NSFQ and BIQ.
#pragma once

#include "lab/queue/queue_base.h"

BROKKR_MACHINE_BEGIN

// A ring of slots with turns, on which operations wait. All queues that assign places by fetch-and-add use it (GQ, CBQ,
// HTQ, SFQ, NSFQ).
//
// Operation p uses slot p mod capacity. With r = p - p mod capacity, the slot's turn is r while it waits for enqueue p,
// r + 1 while it waits for dequeue p, then r + capacity; modulo 2^32.
struct TicketSlot {
  uint32_t turn, value;
};

template <class Observer>
class TicketRing : public Ring<Observer, TicketSlot> {
 protected:
  using Base = Ring<Observer, TicketSlot>;
  using Base::load, Base::store, Base::slot_of, Base::vacant, Base::wait;

  BROKKR_FN explicit TicketRing(const QueueStorage& s) : Base(s) {}

  struct Never {
    BROKKR_FN bool operator()() const { return false; }
  };
  // Executes operation p once its turn has come. `stop` is evaluated in every step of the wait: true ends it.
  template <class Stop = Never>
  BROKKR_FN Outcome put(uint32_t p, uint32_t value, const Stop& stop = {}) const {
    TicketSlot& slot = slot_of(p);
    if (!await(slot, vacant(p), stop)) return Outcome::aborted;
    slot.value = value;
    store(slot.turn, vacant(p) + 1);
    return Outcome::done;
  }
  template <class Stop = Never>
  BROKKR_FN Outcome get(uint32_t p, uint32_t& value, const Stop& stop = {}) const {
    TicketSlot& slot = slot_of(p);
    if (!await(slot, vacant(p) + 1, stop)) return Outcome::aborted;
    value = slot.value;
    store(slot.turn, vacant(p) + uint32_t(this->capacity()));
    return Outcome::done;
  }

 private:
  template <class Stop>
  BROKKR_FN bool await(TicketSlot& slot, uint32_t turn, const Stop& stop) const {
    for (int spin = 0; load(slot.turn) != turn;) {
      if (stop() || !wait(spin)) return false;
    }
    return true;
  }
};

// CBQ: the circular buffer queue [Orozco12].
//
// A fetch-and-add gives an operation its place. There it waits for its turn: for room, or for an element. The queue
// never refuses an operation. So if lanes run one after another, no lane may wait for an element of a later lane.
template <class Observer = Unobserved>
class CircularBufferQueue : public TicketRing<Observer> {
  using Base = TicketRing<Observer>;
  using Base::add, Base::control;

 public:
  BROKKR_FN explicit CircularBufferQueue(const QueueStorage& s) : Base(s) {}

  BROKKR_FN Outcome enqueue(uint32_t, uint32_t value) const { return this->put(add(control().tail.word, 1u), value); }
  BROKKR_FN Outcome dequeue(uint32_t, uint32_t& value) const { return this->get(add(control().head.word, 1u), value); }
};

// HTQ: the high-throughput queue [Orozco12].
//
// The circular buffer queue behind two counters: `upper` counts occupied slots, `lower` counts elements that can be
// dequeued. An operation changes its counter first and reverts the change if the counter exceeded its limit. Not
// linearizable, for the same reason as GQ.
template <class Observer = Unobserved>
class HighThroughputQueue : public TicketRing<Observer> {
 protected:
  using Base = TicketRing<Observer>;
  using Base::add, Base::control, Base::capacity;

 public:
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

// GQ: the queue of [Gottlieb83].
//
// Two counters bound the queue's length: `upper` counts elements from before they are written until after they are
// read, `lower` from after they are written until before they are read. Each operation tests one of them, changes it
// and tests again; HTQ, thirty years later, omits the first test. Not linearizable: while one enqueue is slow, a later
// complete one can be hidden by "empty" [Blelloch03].
template <class Observer = Unobserved>
class GottliebQueue : public HighThroughputQueue<Observer> {
  using Base = HighThroughputQueue<Observer>;
  using Base::load, Base::control, Base::capacity;

 public:
  BROKKR_FN explicit GottliebQueue(const QueueStorage& s) : Base(s) {}

  // Test, increment, retest.
  BROKKR_FN Outcome enqueue(uint32_t thread, uint32_t value) const {
    if (int32_t(load(control().upper.word)) >= capacity()) return Outcome::refused;
    return Base::enqueue(thread, value);
  }
  // Test, decrement, retest.
  BROKKR_FN Outcome dequeue(uint32_t thread, uint32_t& value) const {
    if (int32_t(load(control().lower.word)) <= 0) return Outcome::refused;
    return Base::dequeue(thread, value);
  }
};

// SFQ: the blocking queue of [Scogland15].
//
// The queue assigns places by fetch-and-add and has a turn per slot. One word closes the queue; every operation reads
// it at its start and while it waits. Only one lane of a warp uses the queue at a time: waiting lanes would stop the
// lanes that they wait for.
template <class Observer = Unobserved>
class ScoglandFengQueue : public TicketRing<Observer> {
  using Base = TicketRing<Observer>;
  using Base::add, Base::load, Base::store, Base::control;

 public:
  BROKKR_FN explicit ScoglandFengQueue(const QueueStorage& s) : Base(s) {}

  // The outcome `aborted` means that the queue is closed.
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

// NSFQ: the non-blocking interface of [Scogland15].
//
// A place is taken by compare-and-swap, and only while the counters show that the queue is not full, or not empty. Both
// counters only grow: if a counter has the same value before and after the other one is read, it had that value at the
// time of that read. An operation takes effect at the compare-and-swap; after it, it only waits for the slot's previous
// user.
template <class Observer = Unobserved>
class ScoglandFengNonblockingQueue : public TicketRing<Observer> {
  using Base = TicketRing<Observer>;
  using Base::load, Base::swap_if, Base::control;

 public:
  BROKKR_FN explicit ScoglandFengNonblockingQueue(const QueueStorage& s) : Base(s) {}

  BROKKR_FN Outcome enqueue(uint32_t, uint32_t value) const {
    auto& c = control();
    for (;;) {
      const uint32_t tail = load(c.tail.word);
      if (this->is_full(tail)) return Outcome::refused;
      if (swap_if(c.tail.word, tail, tail + 1u)) return this->put(tail, value);
    }
  }
  BROKKR_FN Outcome dequeue(uint32_t, uint32_t& value) const {
    auto& c = control();
    for (;;) {
      const uint32_t head = load(c.head.word);
      if (this->is_empty(head)) return Outcome::refused;
      if (swap_if(c.head.word, head, head + 1u)) return this->get(head, value);
    }
  }
};

// BIQ: the broker index queue [Kenzel23].
//
// The broker work distributor for elements of one word that is never 0: a slot has no turn; it holds its element or 0.
// A count admits operations, as in BWD, and a fetch-and-add gives the place. An enqueue replaces 0 by its element with
// compare-and-swap. A dequeue exchanges the slot's content for 0 until it gets an element. An operation touches one
// word of the ring instead of two. No slot knows its lap, so two operations of one slot, a lap apart, may change
// places: elements leave a slot in the order in which they entered it, but not the queue.
template <class Observer = Unobserved>
class BrokerIndexQueue : public Ring<Observer, uint32_t> {
  using Base = Ring<Observer, uint32_t>;
  using Base::add, Base::load, Base::swap_if, Base::watched, Base::control, Base::slot_of, Base::capacity, Base::wait;

 public:
  BROKKR_FN explicit BrokerIndexQueue(const QueueStorage& s) : Base(s) {}

  BROKKR_FN Outcome enqueue(uint32_t, uint32_t value) const {
    auto& c = control();
    if (!is_admitted(c.upper.word, 1, capacity())) return Outcome::refused;
    uint32_t& slot = slot_of(add(c.tail.word, 1u));
    for (int spin = 0; load(slot) != 0 || !swap_if(slot, 0u, value + 1u);) {
      if (!wait(spin)) return Outcome::aborted;
    }
    return Outcome::done;
  }
  BROKKR_FN Outcome dequeue(uint32_t, uint32_t& value) const {
    auto& c = control();
    if (!is_admitted(c.upper.word, -1, 0)) return Outcome::refused;
    uint32_t& slot = slot_of(add(c.head.word, 1u));
    uint32_t found = 0;
    for (int spin = 0; load(slot) == 0 || (found = watched(slot).exchange(0u, kAcqRel)) == 0;) {
      if (!wait(spin)) return Outcome::aborted;
    }
    value = found - 1u;
    return Outcome::done;
  }

 private:
  // Adds `step`, 1 or -1, to the number of elements unless that is at its limit.
  BROKKR_FN bool is_admitted(uint32_t& count, int32_t step, int32_t limit) const {
    int32_t now = int32_t(load(count));
    while (step > 0 ? now < limit : now > limit) {
      now = int32_t(add(count, uint32_t(step)));
      if (step > 0 ? now < limit : now > limit) return true;
      now = int32_t(add(count, uint32_t(-step))) - step;
    }
    return false;
  }
};

BROKKR_MACHINE_END
