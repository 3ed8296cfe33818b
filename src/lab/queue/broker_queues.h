// The broker queues on the interface of the measured queues: BQ, BWD and BSQ.
#pragma once

#include "lab/queue/queue_base.h"
#include "queue/broker_queue.h"

BROKKR_MACHINE_BEGIN

// BQ and BWD on the interface of the measured queues: the pipeline's broker queues (queue/broker_queue.h), used by
// single lanes.
template <class Observer, Discipline kDiscipline>
class BrokerLaneQueue : public QueueBase<Observer> {
  using Base = QueueBase<Observer>;

 public:
  static constexpr QueueKind kKind = kDiscipline == Discipline::linearizable ? QueueKind::bq : QueueKind::bwd;
  static size_t bytes(const QueueShape& s) {
    check_queue_shape(s);
    return sizeof(QueueControl) + size_t(s.capacity) * QueueMemory<1>::kSlotWords * sizeof(uint32_t);
  }
  static void prepare(void*, const QueueShape&) {}
  BROKKR_FN explicit BrokerLaneQueue(const QueueStorage& s) : Base(s), queues_(memory_of(s)) {}

  BROKKR_FN Outcome enqueue(uint32_t thread, uint32_t value) const {
    return this->outcome_of(enqueue_many(thread, &value, 1));
  }
  BROKKR_FN Outcome dequeue(uint32_t thread, uint32_t& value) const {
    return this->outcome_of(dequeue_many(thread, &value, 1));
  }
  BROKKR_FN int enqueue_many(uint32_t, const uint32_t* value, int n) const {
    return queues_.enqueue_from_lane(0, reinterpret_cast<const uint32_t(*)[1]>(value), n);
  }
  BROKKR_FN int dequeue_many(uint32_t, uint32_t* value, int n) const {
    return queues_.dequeue_to_lane(0, reinterpret_cast<uint32_t(*)[1]>(value), n);
  }

 private:
  BrokerQueues<1, Observer> queues_;

  BROKKR_FN static QueueMemory<1> memory_of(const QueueStorage& s) {
    QueueMemory<1> m;
    m.control = reinterpret_cast<QueueControl*>(s.memory);
    m.slots = reinterpret_cast<uint32_t*>(m.control + 1);
    m.abort = s.abort;
    m.capacity = s.shape.capacity;
    m.queues = 1;
    m.discipline = kDiscipline;
    return m;
  }
};

template <class Observer = Unobserved>
using BrokerQueue = BrokerLaneQueue<Observer, Discipline::linearizable>;
template <class Observer = Unobserved>
using BrokerWorkDistributor = BrokerLaneQueue<Observer, Discipline::distributor>;

// BSQ: the broker stealing queue [Kerbl18, 4.5.2]. Every block has a broker queue of its own, its home; a thread that
// finds nothing there looks into the others in turn.
//
// Other than in [Kerbl18], an element that finds its home full goes to the next queue with room, so that all of the
// memory can be used whoever enqueues. "Empty" and "full" mean that each queue was found so, one after another:
// together the queues are no FIFO queue.
template <class Observer = Unobserved>
class BrokerStealingQueue : public QueueBase<Observer> {
  using Base = QueueBase<Observer>;
  using Base::s_;

 public:
  static constexpr QueueKind kKind = QueueKind::bsq;
  static size_t bytes(const QueueShape& s) {
    check_queue_shape(s);
    return s.homes * (sizeof(QueueControl) + size_t(home_capacity(s)) * QueueMemory<1>::kSlotWords * sizeof(uint32_t));
  }
  static void prepare(void*, const QueueShape&) {}
  BROKKR_FN explicit BrokerStealingQueue(const QueueStorage& s) : Base(s), queues_(memory_of(s)) {}

  BROKKR_FN Outcome enqueue(uint32_t thread, uint32_t value) const {
    return first_of(thread, [&](int q) { return queues_.enqueue_from_lane(q, words_of(value), 1); });
  }
  BROKKR_FN Outcome dequeue(uint32_t thread, uint32_t& value) const {
    return first_of(thread, [&](int q) { return queues_.dequeue_to_lane(q, words_of(value), 1); });
  }

 private:
  BrokerQueues<1, Observer> queues_;

  BROKKR_FN static auto words_of(uint32_t& value) { return reinterpret_cast<uint32_t(*)[1]>(&value); }

  template <class Try>
  BROKKR_FN Outcome first_of(uint32_t thread, Try&& attempt) const {
    const uint32_t homes = s_.shape.homes;
    const uint32_t per_home = (s_.shape.threads + homes - 1) / homes;
    for (uint32_t i = 0, q = thread / per_home; i < homes; ++i, ++q) {
      if (attempt(int(q < homes ? q : q - homes)) > 0) return Outcome::done;
    }
    return this->aborted() ? Outcome::aborted : Outcome::refused;
  }
  // Twice the home's share, so that few elements have to go to other queues.
  static constexpr uint32_t home_capacity(const QueueShape& s) {
    const uint32_t share = 2 * s.capacity / s.homes;
    uint32_t n = 2;
    while (n < share && n < s.capacity) n *= 2;
    return n;
  }
  BROKKR_FN static QueueMemory<1> memory_of(const QueueStorage& s) {
    QueueMemory<1> m;
    m.control = reinterpret_cast<QueueControl*>(s.memory);
    m.slots = reinterpret_cast<uint32_t*>(m.control + s.shape.homes);
    m.abort = s.abort;
    m.capacity = home_capacity(s.shape);
    m.queues = int(s.shape.homes);
    m.discipline = Discipline::linearizable;
    return m;
  }
};

BROKKR_MACHINE_END
