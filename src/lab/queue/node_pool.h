// Nodes of the linked queues (MSQ, BAQ): a pool with a free list, as in [Michael96] (a stack with counted links). Links
// are (tag, node), where node 0 means none. A node is used again at once; the tag tells its uses apart.
#pragma once

#include "lab/queue/queue_base.h"

BROKKR_MACHINE_BEGIN

struct QueueNode {
  uint64_t next;       // a link; its meaning is the queue's
  uint32_t value;      // may be read through a link to an earlier use of the node
  uint32_t next_free;  // node
};

// The ends of the list and the pool's state, each on its own cache line.
struct LinkedControl {
  LineOf<uint64_t> head, tail, free;
  LineOf<uint32_t> fresh;  // nodes that have ever been used
};

template <class Observer>
class LinkedQueueBase : public QueueBase<Observer> {
 protected:
  using Base = QueueBase<Observer>;
  using Base::load, Base::store, Base::swap_if, Base::watched, Base::s_;

 public:
  static size_t bytes(const QueueShape& s) {
    check_queue_shape(s);
    return sizeof(LinkedControl) + (size_t(nodes(s)) + 1) * sizeof(QueueNode);
  }
  // Node 1 is the first dummy.
  static void prepare(void* memory, const QueueShape&) {
    LinkedControl& c = *static_cast<LinkedControl*>(memory);
    c.head.word = c.tail.word = 1;
    c.fresh.word = 1;
  }
  BROKKR_FN uint32_t allocated() const { return load(control().fresh.word); }

 protected:
  BROKKR_FN explicit LinkedQueueBase(const QueueStorage& s) : Base(s) {}
  BROKKR_FN LinkedControl& control() const { return *this->template at<LinkedControl>(0); }
  BROKKR_FN QueueNode& node(uint32_t i) const { return this->template at<QueueNode>(sizeof(LinkedControl))[i]; }
  BROKKR_FN uint32_t value_of(uint32_t i) const { return watched(node(i).value).load(kRelaxed); }

  // 0: there is none.
  BROKKR_FN uint32_t take_node() const {
    LinkedControl& c = control();
    for (;;) {
      const uint64_t top = load(c.free.word);
      const uint32_t i = uint32_t(top);
      if (i == 0) break;
      const uint32_t next = watched(node(i).next_free).load(kRelaxed);
      if (swap_if(c.free.word, top, ((top >> 32) + 1) << 32 | next)) return i;
    }
    for (;;) {
      const uint32_t used = load(c.fresh.word);
      if (used >= nodes(s_.shape)) return 0;
      if (swap_if(c.fresh.word, used, used + 1)) return used + 1;
    }
  }
  BROKKR_FN void give_node(uint32_t i) const {
    LinkedControl& c = control();
    for (;;) {
      const uint64_t top = load(c.free.word);
      watched(node(i).next_free).store(uint32_t(top), kRelaxed);
      if (swap_if(c.free.word, top, ((top >> 32) + 1) << 32 | i)) return;
    }
  }

 private:
  // The dummy, and nodes that have left the list and are not back yet: with baskets, kMaxHops and those of the threads.
  static constexpr uint32_t nodes(const QueueShape& s) { return s.capacity + 4 * s.threads + 64; }
};

BROKKR_MACHINE_END
