// GQ: the queue of [Gottlieb83].
//
// Two counters bound the queue's length: `upper` counts elements from before they are written until after they are
// read, `lower` from after they are written until before they are read. Each operation tests one of them, changes it
// and tests again; HTQ, thirty years later, leaves out the first test. Not linearizable: while one enqueue is slow, a
// later one that is complete can be denied by "empty" [Blelloch03].
#pragma once

#include "lab/queue/high_throughput_queue.h"

BROKKR_MACHINE_BEGIN

template <class Observer = Unobserved>
class GottliebQueue : public HighThroughputQueue<Observer> {
  using Base = HighThroughputQueue<Observer>;
  using Base::load, Base::control, Base::capacity;

 public:
  static constexpr QueueKind kKind = QueueKind::gq;
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

BROKKR_MACHINE_END
