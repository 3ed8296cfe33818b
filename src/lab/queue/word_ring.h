// A ring whose slots are one 64-bit word each, changed by compare-and-swap: SHCQ and TZQ share it. A slot is (count,
// element); the queue gives the count its meaning. Zeroed memory is an empty ring.
#pragma once

#include "lab/queue/queue_base.h"

BROKKR_MACHINE_BEGIN

template <class Observer>
class WordRing : public QueueBase<Observer> {
 public:
  struct Control {
    LineOf<uint32_t> head, tail;
  };
  static size_t bytes(const QueueShape& s) {
    check_queue_shape(s);
    return sizeof(Control) + size_t(s.capacity) * sizeof(uint64_t);
  }
  static void prepare(void*, const QueueShape&) {}

 protected:
  using Base = QueueBase<Observer>;

  BROKKR_FN explicit WordRing(const QueueStorage& s) : Base(s) {}
  BROKKR_FN Control& control() const { return *this->template at<Control>(0); }
  // The slot of operation p.
  BROKKR_FN uint64_t& slot_of(uint32_t p) const {
    return this->template at<uint64_t>(sizeof(Control))[p & (Base::s_.shape.capacity - 1)];
  }
};

BROKKR_MACHINE_END
