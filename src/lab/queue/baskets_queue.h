// BAQ: the baskets queue [Hoffman07]. As MSQ, but enqueuers that lose a race for the tail are concurrent, so that any
// order of theirs will do: they put their nodes right behind the same one (into its basket) instead of running after
// the tail. Dequeuers mark nodes and move the head over several at once.
//
// A link is (tag, deleted, node): the mark says that the node it leads to has been taken.
#pragma once

#include "lab/queue/node_pool.h"

BROKKR_MACHINE_BEGIN

template <class Observer = Unobserved>
class BasketsQueue : public LinkedQueueBase<Observer> {
  using Base = LinkedQueueBase<Observer>;
  using Base::load, Base::store, Base::swap_if, Base::watched, Base::control, Base::node;

 public:
  static constexpr QueueKind kKind = QueueKind::baq;
  static constexpr int kMaxHops = 3;  // taken nodes that the head may trail behind
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
      // Another enqueuer was faster: this node goes into its basket while that is open.
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
      // Skip the nodes that have been taken.
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
