// SHCQ: the queue of [Shann00], with the correction of [Colvin05]: the bounds are checked before the slot is read. In
// the other order an element of the last lap, taken in the meantime, passes for a new one, and the tail is moved over a
// vacant slot.
//
// A slot is (count, element) in one 64-bit word that every change counts. A thread that finds a slot changed and its
// counter not yet moves the counter for the other thread. An operation takes effect when the counter moves.
#pragma once

#include "lab/queue/word_ring.h"

BROKKR_MACHINE_BEGIN

template <class Observer = Unobserved>
class ShannQueue : public WordRing<Observer> {
  using Base = WordRing<Observer>;
  using Base::load, Base::swap_if, Base::control, Base::slot_of, Base::s_;

 public:
  static constexpr QueueKind kKind = QueueKind::shcq;
  BROKKR_FN explicit ShannQueue(const QueueStorage& s) : Base(s) {}

  BROKKR_FN Outcome enqueue(uint32_t, uint32_t value) const {
    auto& c = control();
    for (;;) {
      const uint32_t tail = load(c.tail.word);
      const uint32_t head = load(c.head.word);
      if (int32_t(tail - head) >= int32_t(s_.shape.capacity)) return Outcome::refused;
      uint64_t& slot = slot_of(tail);
      const uint64_t seen = load(slot);
      if (load(c.tail.word) != tail) continue;
      const bool mine = is_vacant(seen) && swap_if(slot, seen, next(seen) | (value + 1u));
      if (mine || !is_vacant(seen)) swap_if(c.tail.word, tail, tail + 1u);
      if (mine) return Outcome::done;
    }
  }
  BROKKR_FN Outcome dequeue(uint32_t, uint32_t& value) const {
    auto& c = control();
    for (;;) {
      const uint32_t head = load(c.head.word);
      const uint32_t tail = load(c.tail.word);
      if (int32_t(tail - head) <= 0) return Outcome::refused;
      uint64_t& slot = slot_of(head);
      const uint64_t seen = load(slot);
      if (load(c.head.word) != head) continue;
      const bool mine = !is_vacant(seen) && swap_if(slot, seen, next(seen));
      if (mine || is_vacant(seen)) swap_if(c.head.word, head, head + 1u);
      if (!mine) continue;
      value = uint32_t(seen) - 1u;
      return Outcome::done;
    }
  }

 private:
  BROKKR_FN static bool is_vacant(uint64_t slot) { return uint32_t(slot) == 0; }
  // The slot's next state, without an element.
  BROKKR_FN static uint64_t next(uint64_t slot) { return uint64_t(uint32_t(slot >> 32) + 1u) << 32; }
};

BROKKR_MACHINE_END
