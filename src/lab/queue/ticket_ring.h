// A ring of slots with turns, on which operations wait. The queues that hand out places by fetch-and-add share it (GQ,
// CBQ, HTQ, SFQ, NSFQ).
//
// Operation p uses slot p mod capacity. With r = p - p mod capacity, the slot's turn is r while it waits for enqueue p,
// r + 1 while it waits for dequeue p, then r + capacity; modulo 2^32. Zeroed memory is an empty ring.
#pragma once

#include "lab/queue/queue_base.h"

BROKKR_MACHINE_BEGIN

template <class Observer>
class TicketRing : public QueueBase<Observer> {
 public:
  // The words that a queue of this family may need, each with its own line.
  struct Control {
    LineOf<uint32_t> head, tail, lower, upper, closed;
  };
  static size_t bytes(const QueueShape& s) {
    check_queue_shape(s);
    return sizeof(Control) + size_t(s.capacity) * sizeof(Slot);
  }
  static void prepare(void*, const QueueShape&) {}

 protected:
  using Base = QueueBase<Observer>;
  using Base::load, Base::store, Base::add, Base::s_, Base::wait;
  struct Slot {
    uint32_t turn, value;
  };

  BROKKR_FN explicit TicketRing(const QueueStorage& s) : Base(s) {}
  BROKKR_FN Control& control() const { return *this->template at<Control>(0); }
  BROKKR_FN int32_t capacity() const { return int32_t(s_.shape.capacity); }

  // Operation p, once its turn has come. `stop` is asked in every step of the wait: true ends it.
  template <class Stop>
  BROKKR_FN Outcome put(uint32_t p, uint32_t value, Stop&& stop) const {
    Slot& slot = slot_of(p);
    if (!await(slot, vacant(p), stop)) return Outcome::aborted;
    slot.value = value;
    store(slot.turn, vacant(p) + 1);
    return Outcome::done;
  }
  template <class Stop>
  BROKKR_FN Outcome get(uint32_t p, uint32_t& value, Stop&& stop) const {
    Slot& slot = slot_of(p);
    if (!await(slot, vacant(p) + 1, stop)) return Outcome::aborted;
    value = slot.value;
    store(slot.turn, vacant(p) + s_.shape.capacity);
    return Outcome::done;
  }
  BROKKR_FN Outcome put(uint32_t p, uint32_t value) const {
    return put(p, value, [] { return false; });
  }
  BROKKR_FN Outcome get(uint32_t p, uint32_t& value) const {
    return get(p, value, [] { return false; });
  }

 private:
  BROKKR_FN Slot& slot_of(uint32_t p) const {
    return this->template at<Slot>(sizeof(Control))[p & (s_.shape.capacity - 1)];
  }
  BROKKR_FN uint32_t vacant(uint32_t p) const { return p & (0u - s_.shape.capacity); }
  template <class Stop>
  BROKKR_FN bool await(Slot& slot, uint32_t turn, Stop&& stop) const {
    for (int spin = 0; load(slot.turn) != turn;) {
      if (stop() || !wait(spin)) return false;
    }
    return true;
  }
};

BROKKR_MACHINE_END
