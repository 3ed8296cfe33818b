// The interface of all measured queues (lab/queue/every_queue.h), and their shared code.
//
// A queue is a view of memory that host and device can use. For a queue Q:
//
//   Q<>::bytes(shape)            memory that it needs, aligned to 64 bytes; throws as check_queue_shape
//   Q<>::prepare(memory, shape)  host memory of that size, zeroed, becomes an empty queue, which holds no
//                                pointers and may be copied to a device
//   Q<>(storage)                 the queue in that memory, for the machine that this is compiled for
//   enqueue(thread, value)       done; refused: the queue is full (of pools: out of nodes); aborted
//   dequeue(thread, value&)      done; refused: the queue is empty; aborted
//   allocated()                  nodes or segments that operations have taken from a pool so far; 0 where it
//                                has no pool
//
// Queues with Claim::yes for multi_element also have enqueue_many(thread, values, n) and dequeue_many(thread, values,
// n), which return the number of elements moved: these enter or leave next to each other.
//
// Operations are for single lanes: in w.once, in w.for_lanes, or in code without warps. `thread` is the lane's number
// among all users of the queue, 0 .. shape.threads - 1; no two lanes use the same number at the same time. Values are 0
// .. kMaxQueueValue. Blocking queues (Claim::no for multi_queue) wait where others refuse. Every wait ends when *abort
// is not 0; the queue's content is undefined from then on.
//
// The thread that dequeues an element sees everything that another thread wrote before it enqueued the element. Words
// are read with acquire and written with release; a queue that needs stronger orders says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lab/queue/queue_shape.h"
#include "queue/broker_queue.h"

BROKKR_MACHINE_BEGIN

// A word on its own cache line, to avoid false sharing.
template <class T>
struct alignas(64) LineOf {
  T word;
};

// Words read with acquire and written with release or, with kOneOrder, all in one total order.
template <class Observer, bool kOneOrder = false>
class SharedWords {
 protected:
  template <class T>
  BROKKR_FN static Watched<T, Observer> watched(T& word) {
    return Watched<T, Observer>(word);
  }
  template <class T>
  BROKKR_FN static T load(T& word) {
    return watched(word).load(kOneOrder ? kSeqCst : kAcquire);
  }
  template <class T>
  BROKKR_FN static void store(T& word, std::type_identity_t<T> value) {
    watched(word).store(value, kOneOrder ? kSeqCst : kRelease);
  }
  // Returns the previous value.
  template <class T>
  BROKKR_FN static T add(T& word, std::type_identity_t<T> n) {
    return watched(word).fetch_add(n, kOneOrder ? kSeqCst : kAcqRel);
  }
  template <class T>
  BROKKR_FN static bool swap_if(T& word, std::type_identity_t<T> expected, std::type_identity_t<T> desired) {
    return watched(word).compare_exchange_strong(expected, desired, kOneOrder ? kSeqCst : kAcqRel);
  }
  // A counted link to i that follows `before`: (count, i).
  BROKKR_FN static uint64_t link(uint32_t i, uint64_t before) { return ((before >> 32) + 1) << 32 | i; }
};

template <class Observer, bool kOneOrder = false>
class QueueBase : public SharedWords<Observer, kOneOrder> {
 public:
  BROKKR_FN uint32_t allocated() const { return 0; }

 protected:
  BROKKR_FN explicit QueueBase(const QueueStorage& s) : s_(s) {}

  QueueStorage s_;

  template <class T>
  BROKKR_FN T* at(size_t offset) const {
    return reinterpret_cast<T*>(s_.memory + offset);
  }
  BROKKR_FN bool aborted() const {
    return s_.abort != nullptr && system_atomic<uint32_t>(*s_.abort).load(kRelaxed) != 0;
  }
  // The outcome of an operation on one element, from the number of elements moved.
  BROKKR_FN Outcome outcome_of(int got) const {
    return got > 0 ? Outcome::done : aborted() ? Outcome::aborted : Outcome::refused;
  }
  // One step of a wait. Returns false after an abort.
  BROKKR_FN bool wait(int& spin) const {
    if (aborted()) return false;
    Observer::pause(spin++);
    return true;
  }
};

// A ring of slots behind the queue's control words, each of which has its own cache line. Zeroed memory is an empty
// ring.
template <class Observer, class Slot>
class Ring : public QueueBase<Observer> {
 public:
  struct Control {
    LineOf<uint32_t> head, tail, head_lock, tail_lock, lower, upper, closed;
  };
  static size_t bytes(const QueueShape& s) {
    check_queue_shape(s);
    return sizeof(Control) + size_t(s.capacity) * sizeof(Slot);
  }
  static void prepare(void*, const QueueShape&) {}

 protected:
  using Base = QueueBase<Observer>;
  using Base::load, Base::s_;

  BROKKR_FN explicit Ring(const QueueStorage& s) : Base(s) {}
  BROKKR_FN Control& control() const { return *this->template at<Control>(0); }
  BROKKR_FN int32_t capacity() const { return int32_t(s_.shape.capacity); }
  // The slot of operation p, and the number of slots in all earlier laps.
  BROKKR_FN Slot& slot_of(uint32_t p) const {
    return this->template at<Slot>(sizeof(Control))[p & (s_.shape.capacity - 1)];
  }
  BROKKR_FN uint32_t vacant(uint32_t p) const { return p & (0u - s_.shape.capacity); }
  // For ends that only grow and never pass each other: the caller has read one, this function reads the other.
  BROKKR_FN bool is_full(uint32_t tail) const { return int32_t(tail - load(control().head.word)) >= capacity(); }
  BROKKR_FN bool is_empty(uint32_t head) const { return int32_t(load(control().tail.word) - head) <= 0; }
};

BROKKR_MACHINE_END
