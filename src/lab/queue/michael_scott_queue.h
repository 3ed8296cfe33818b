// MSQ: the non-blocking queue of [Michael96]: a list with a dummy at its head, counted links, compare-and-swap at both
// ends. "Full" means that the pool is out of nodes.
#pragma once

#include "lab/queue/node_pool.h"

BROKKR_MACHINE_BEGIN

template <class Observer = Unobserved>
class MichaelScottQueue : public LinkedQueueBase<Observer> {
  using Base = LinkedQueueBase<Observer>;
  using Base::load, Base::store, Base::swap_if, Base::watched, Base::control, Base::node;

 public:
  static constexpr QueueKind kKind = QueueKind::msq;
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
      value = this->value_of(uint32_t(next));  // before the node can be used again
      if (!swap_if(c.head.word, head, link(uint32_t(next), head))) continue;
      this->give_node(uint32_t(head));
      return Outcome::done;
    }
  }

 private:
  // To node i, with the tag after that of `before`.
  BROKKR_FN static uint64_t link(uint32_t i, uint64_t before) { return ((before >> 32) + 1) << 32 | i; }
};

BROKKR_MACHINE_END
