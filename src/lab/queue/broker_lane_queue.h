// BQ and BWD on the interface of the measured queues: the pipeline's broker queues (queue/broker_queue.h), used by
// single lanes.
#pragma once

#include "lab/queue/queue_base.h"
#include "queue/broker_queue.h"

BROKKR_MACHINE_BEGIN

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

BROKKR_MACHINE_END
