// All measured queues behind one interface (lab/queue/queue_base.h).
#pragma once

#include "lab/queue/linked_queues.h"
#include "lab/queue/linked_ring_queue.h"
#include "lab/queue/producer_queue.h"
#include "lab/queue/queue_base.h"
#include "lab/queue/slot_queues.h"
#include "lab/queue/ticket_queues.h"
#include "lab/queue/wait_free_queue.h"
#include "queue/broker_queue.h"

// The broker queues behind the interface of the measured queues: BQ, BWD and BSQ.

BROKKR_MACHINE_BEGIN

// The pipeline's broker queues (queue/broker_queue.h), used by single lanes: one queue, or one per home.
template <class Observer, Discipline kDiscipline, bool kHomes>
class BrokerLanes : public QueueBase<Observer> {
 public:
  static size_t bytes(const QueueShape& s) {
    check_queue_shape(s);
    return queues(s) * (sizeof(QueueControl) + size_t(capacity(s)) * QueueMemory<1>::kSlotWords * sizeof(uint32_t));
  }
  static void prepare(void*, const QueueShape&) {}

 protected:
  using Base = QueueBase<Observer>;
  BrokerQueues<1, Observer> queues_;

  BROKKR_FN explicit BrokerLanes(const QueueStorage& s) : Base(s), queues_(memory_of(s)) {}

 private:
  static constexpr uint32_t queues(const QueueShape& s) { return kHomes ? s.homes : 1; }
  // Each home has twice its share of the capacity, so that few elements must go to other queues.
  static constexpr uint32_t capacity(const QueueShape& s) {
    if (!kHomes) return s.capacity;
    const uint32_t wanted = 2 * s.capacity / s.homes;
    uint32_t n = 2;
    while (n < wanted && n < s.capacity) n *= 2;
    return n;
  }
  BROKKR_FN static QueueMemory<1> memory_of(const QueueStorage& s) {
    QueueMemory<1> m;
    m.control = reinterpret_cast<QueueControl*>(s.memory);
    m.slots = reinterpret_cast<uint32_t*>(m.control + queues(s.shape));
    m.abort = s.abort;
    m.capacity = capacity(s.shape);
    m.queues = int(queues(s.shape));
    m.discipline = kDiscipline;
    return m;
  }
};

// BQ and BWD.
template <class Observer, Discipline kDiscipline>
class BrokerLaneQueue : public BrokerLanes<Observer, kDiscipline, false> {
  using Base = BrokerLanes<Observer, kDiscipline, false>;
  using Base::queues_;

 public:
  BROKKR_FN explicit BrokerLaneQueue(const QueueStorage& s) : Base(s) {}

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
};

template <class Observer = Unobserved>
using BrokerQueue = BrokerLaneQueue<Observer, Discipline::linearizable>;
template <class Observer = Unobserved>
using BrokerWorkDistributor = BrokerLaneQueue<Observer, Discipline::distributor>;

// BSQ: the broker stealing queue [Kerbl18, 4.5.2]. Every block has a home broker queue; a thread that finds it empty
// tries the others in turn.
//
// Unlike in [Kerbl18], an element whose home is full goes to the next queue with room, so that all memory can be used,
// whoever enqueues. "Empty" and "full" mean that each queue was found so, one after another: together the queues are
// not a FIFO queue.
template <class Observer = Unobserved>
class BrokerStealingQueue : public BrokerLanes<Observer, Discipline::linearizable, true> {
  using Base = BrokerLanes<Observer, Discipline::linearizable, true>;
  using Base::queues_, Base::s_;

 public:
  BROKKR_FN explicit BrokerStealingQueue(const QueueStorage& s) : Base(s) {}

  BROKKR_FN Outcome enqueue(uint32_t thread, uint32_t value) const {
    return first_of(thread, [&](int q) { return queues_.enqueue_from_lane(q, words_of(value), 1); });
  }
  BROKKR_FN Outcome dequeue(uint32_t thread, uint32_t& value) const {
    return first_of(thread, [&](int q) { return queues_.dequeue_to_lane(q, words_of(value), 1); });
  }

 private:
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
};

BROKKR_MACHINE_END

// BROKKR_EVERY_QUEUE(F): F(kind, Class) for each of them, in the order of QueueKind.
#define BROKKR_EVERY_QUEUE(F)           \
  F(bq, BrokerQueue)                    \
  F(bwd, BrokerWorkDistributor)         \
  F(bsq, BrokerStealingQueue)           \
  F(gq, GottliebQueue)                  \
  F(msq, MichaelScottQueue)             \
  F(dual_mutex, DualMutexQueue)         \
  F(shcq, ShannQueue)                   \
  F(tzq, TsigasZhangQueue)              \
  F(baq, BasketsQueue)                  \
  F(cbq, CircularBufferQueue)           \
  F(htq, HighThroughputQueue)           \
  F(lcrq, LinkedRingQueue)              \
  F(sfq, ScoglandFengQueue)             \
  F(nsfq, ScoglandFengNonblockingQueue) \
  F(wfq, WaitFreeQueue)                 \
  F(biq, BrokerIndexQueue)              \
  F(mcq, ProducerQueue)
