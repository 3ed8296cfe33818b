// 2MQ: the two-lock queue of [Michael96], over a ring instead of a list, as [Kerbl18, Table 4.1] assumes (static
// memory, several elements at once).
//
// One lock for each end: an enqueue and a dequeue may run at the same time, two enqueues or two dequeues may not.
#pragma once

#include "lab/queue/queue_base.h"

BROKKR_MACHINE_BEGIN

template <class Observer = Unobserved>
class DualMutexQueue : public QueueBase<Observer> {
  using Base = QueueBase<Observer>;
  using Base::load, Base::store, Base::watched, Base::s_;

 public:
  static constexpr QueueKind kKind = QueueKind::dual_mutex;
  struct Control {
    LineOf<uint32_t> head, tail, head_lock, tail_lock;
  };
  static size_t bytes(const QueueShape& s) {
    check_queue_shape(s);
    return sizeof(Control) + size_t(s.capacity) * sizeof(uint32_t);
  }
  static void prepare(void*, const QueueShape&) {}
  BROKKR_FN explicit DualMutexQueue(const QueueStorage& s) : Base(s) {}

  BROKKR_FN Outcome enqueue(uint32_t thread, uint32_t value) const {
    return this->outcome_of(enqueue_many(thread, &value, 1));
  }
  BROKKR_FN Outcome dequeue(uint32_t thread, uint32_t& value) const {
    return this->outcome_of(dequeue_many(thread, &value, 1));
  }
  BROKKR_FN int enqueue_many(uint32_t, const uint32_t* value, int n) const {
    Control& c = control();
    if (!lock(c.tail_lock.word)) return 0;
    const uint32_t tail = load(c.tail.word);
    const int room = int(s_.shape.capacity - (tail - load(c.head.word)));
    const int got = n < room ? n : room;
    for (int i = 0; i < got; ++i) slot(tail + uint32_t(i)) = value[i];
    store(c.tail.word, tail + uint32_t(got));
    store(c.tail_lock.word, 0u);
    return got;
  }
  BROKKR_FN int dequeue_many(uint32_t, uint32_t* value, int n) const {
    Control& c = control();
    if (!lock(c.head_lock.word)) return 0;
    const uint32_t head = load(c.head.word);
    const int there = int(load(c.tail.word) - head);
    const int got = n < there ? n : there;
    for (int i = 0; i < got; ++i) value[i] = slot(head + uint32_t(i));
    store(c.head.word, head + uint32_t(got));
    store(c.head_lock.word, 0u);
    return got;
  }

 private:
  BROKKR_FN Control& control() const { return *this->template at<Control>(0); }
  BROKKR_FN uint32_t& slot(uint32_t p) const {
    return this->template at<uint32_t>(sizeof(Control))[p & (s_.shape.capacity - 1)];
  }
  BROKKR_FN bool lock(uint32_t& word) const {
    for (int spin = 0; watched(word).exchange(1u, kAcquire) != 0;) {
      if (!this->wait(spin)) return false;
    }
    return true;
  }
};

BROKKR_MACHINE_END
