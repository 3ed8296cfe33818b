// Queues that are lists of nodes from a pool: MSQ and BAQ.
#pragma once

#include "lab/queue/queue_base.h"

BROKKR_MACHINE_BEGIN

// Nodes of the linked queues (MSQ, BAQ): a pool with a free list, as in [Michael96] (a stack with counted links). Links
// are (tag, node), where node 0 means none. Nodes are reused immediately; the tag distinguishes their uses.
struct QueueNode {
  uint64_t next;       // a link; the queue defines its meaning
  uint32_t value;      // may be read through a link to an earlier use of the node
  uint32_t next_free;  // next node of the free list
};

// The ends of the list and the pool's state, each on its own cache line.
struct LinkedControl {
  LineOf<uint64_t> head, tail, free;
  LineOf<uint32_t> fresh;  // number of nodes used so far
};

template <class Observer>
class LinkedQueueBase : public QueueBase<Observer> {
 protected:
  using Base = QueueBase<Observer>;
  using Base::load, Base::store, Base::swap_if, Base::watched, Base::link, Base::s_;

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

  // Takes a node from the pool; returns 0 if there is none.
  BROKKR_FN uint32_t take_node() const {
    LinkedControl& c = control();
    for (;;) {
      const uint64_t top = load(c.free.word);
      const uint32_t i = uint32_t(top);
      if (i == 0) break;
      const uint32_t next = watched(node(i).next_free).load(kRelaxed);
      if (swap_if(c.free.word, top, link(next, top))) return i;
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
      if (swap_if(c.free.word, top, link(i, top))) return;
    }
  }

 private:
  // Counts the dummy, and nodes that have left the list but are not yet free: with baskets, kMaxHops and one per
  // thread.
  static constexpr uint32_t nodes(const QueueShape& s) { return s.capacity + 4 * s.threads + 64; }
};

// MSQ: the non-blocking queue of [Michael96]: a list with a dummy at its head, counted links, and compare-and-swap at
// both ends. "Full" means that the pool has no free node.
template <class Observer = Unobserved>
class MichaelScottQueue : public LinkedQueueBase<Observer> {
  using Base = LinkedQueueBase<Observer>;
  using Base::load, Base::store, Base::swap_if, Base::watched, Base::link, Base::control, Base::node;

 public:
  BROKKR_FN explicit MichaelScottQueue(const QueueStorage& s) : Base(s) {}

  BROKKR_FN Outcome enqueue(uint32_t, uint32_t value) const {
    auto& c = control();
    const uint32_t mine = this->take_node();
    if (mine == 0) return Outcome::refused;
    watched(node(mine).value).store(value, kRelaxed);
    store(node(mine).next, link(0, load(node(mine).next)));
    for (;;) {
      const uint64_t tail = load(c.tail.word);
      uint64_t& next_word = node(uint32_t(tail)).next;
      const uint64_t next = load(next_word);
      if (load(c.tail.word) != tail) continue;
      if (uint32_t(next) != 0) {
        swap_if(c.tail.word, tail, link(uint32_t(next), tail));
      } else if (swap_if(next_word, next, link(mine, next))) {
        swap_if(c.tail.word, tail, link(mine, tail));
        return Outcome::done;
      }
    }
  }
  BROKKR_FN Outcome dequeue(uint32_t, uint32_t& value) const {
    auto& c = control();
    for (;;) {
      const uint64_t head = load(c.head.word);
      const uint64_t tail = load(c.tail.word);
      const uint64_t next = load(node(uint32_t(head)).next);
      if (load(c.head.word) != head) continue;
      if (uint32_t(head) == uint32_t(tail)) {
        if (uint32_t(next) == 0) return Outcome::refused;
        swap_if(c.tail.word, tail, link(uint32_t(next), tail));
        continue;
      }
      value = this->value_of(uint32_t(next));  // read before the node can be reused
      if (!swap_if(c.head.word, head, link(uint32_t(next), head))) continue;
      this->give_node(uint32_t(head));
      return Outcome::done;
    }
  }
};

// BAQ: the baskets queue [Hoffman07]. It is like MSQ, but enqueuers that lose a race for the tail are concurrent, so
// any order among them is valid: they insert their nodes behind the same node (into its basket) instead of chasing the
// tail. Dequeuers mark nodes and move the head over several at once.
//
// A link is (tag, deleted, node): the mark means that the node it points to has been dequeued.
template <class Observer = Unobserved>
class BasketsQueue : public LinkedQueueBase<Observer> {
  using Base = LinkedQueueBase<Observer>;
  using Base::load, Base::store, Base::swap_if, Base::watched, Base::control, Base::node;

 public:
  static constexpr int kMaxHops = 3;  // dequeued nodes that may remain behind the head
  BROKKR_FN explicit BasketsQueue(const QueueStorage& s) : Base(s) {}

  BROKKR_FN Outcome enqueue(uint32_t, uint32_t value) const {
    auto& c = control();
    const uint32_t mine = this->take_node();
    if (mine == 0) return Outcome::refused;
    watched(node(mine).value).store(value, kRelaxed);
    for (;;) {
      const uint64_t tail = load(c.tail.word);
      uint64_t& next_word = node(index(tail)).next;
      uint64_t next = load(next_word);
      if (load(c.tail.word) != tail) continue;
      if (index(next) != 0) {
        help_tail(tail, next);
        continue;
      }
      store(node(mine).next, link(0, false, tag(tail) + 2));
      if (swap_if(next_word, next, link(mine, false, tag(tail) + 1))) {
        swap_if(c.tail.word, tail, link(mine, false, tag(tail) + 1));
        return Outcome::done;
      }
      // Another enqueuer was faster: insert this node into its basket while the basket is open.
      for (next = load(next_word); tag(next) == tag(tail) + 1 && !is_deleted(next); next = load(next_word)) {
        store(node(mine).next, next);
        if (swap_if(next_word, next, link(mine, false, tag(tail) + 1))) return Outcome::done;
      }
    }
  }
  BROKKR_FN Outcome dequeue(uint32_t, uint32_t& value) const {
    auto& c = control();
    for (;;) {
      const uint64_t head = load(c.head.word);
      const uint64_t tail = load(c.tail.word);
      uint64_t next = load(node(index(head)).next);
      if (load(c.head.word) != head) continue;
      if (index(head) == index(tail)) {
        if (index(next) == 0) return Outcome::refused;
        help_tail(tail, next);
        continue;
      }
      // Skips dequeued nodes.
      uint64_t at = head;
      int hops = 0;
      while (is_deleted(next) && index(at) != index(tail) && load(c.head.word) == head) {
        at = next;
        next = load(node(index(at)).next);
        ++hops;
      }
      if (load(c.head.word) != head) continue;
      if (index(at) == index(tail)) {
        free_chain(head, at);
        continue;
      }
      if (index(next) == 0) continue;
      value = this->value_of(index(next));
      if (!swap_if(node(index(at)).next, next, link(index(next), true, tag(next) + 1))) continue;
      if (hops >= kMaxHops) free_chain(head, next);
      return Outcome::done;
    }
  }

 private:
  static constexpr uint64_t kDeleted = uint64_t(1) << 31;
  BROKKR_FN static uint32_t index(uint64_t l) { return uint32_t(l) & 0x7fffffffu; }
  BROKKR_FN static uint32_t tag(uint64_t l) { return uint32_t(l >> 32); }
  BROKKR_FN static bool is_deleted(uint64_t l) { return (l & kDeleted) != 0; }
  BROKKR_FN static uint64_t link(uint32_t i, bool deleted, uint32_t tag) {
    return uint64_t(tag) << 32 | (deleted ? kDeleted : 0) | i;
  }

  // The tail lags behind `next`: move it to the end of the list.
  BROKKR_FN void help_tail(uint64_t tail, uint64_t next) const {
    auto& c = control();
    for (;;) {
      const uint64_t after = load(node(index(next)).next);
      if (index(after) == 0 || load(c.tail.word) != tail) break;
      next = after;
    }
    swap_if(c.tail.word, tail, link(index(next), false, tag(tail) + 1));
  }
  BROKKR_FN void free_chain(uint64_t head, uint64_t to) const {
    if (!swap_if(control().head.word, head, link(index(to), false, tag(head) + 1))) return;
    for (uint32_t i = index(head); i != index(to);) {
      const uint32_t next = index(load(node(i).next));
      this->give_node(i);
      i = next;
    }
  }
};

BROKKR_MACHINE_END
