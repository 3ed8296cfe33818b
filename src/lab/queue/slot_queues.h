// Queues that are rings of slots, each a 64-bit word that is changed by compare-and-swap: SHCQ and TZQ.
#pragma once

#include "lab/queue/queue_base.h"

BROKKR_MACHINE_BEGIN

// A ring whose slots are one 64-bit word each, changed by compare-and-swap: SHCQ and TZQ share it. A slot is (count,
// element); the queue gives the count its meaning. Zeroed memory is an empty ring.
template <class Observer>
class WordRing : public QueueBase<Observer> {
 public:
  struct Control {
    LineOf<uint32_t> head, tail;
  };
  static size_t bytes(const QueueShape& s) {
    check_queue_shape(s);
    return sizeof(Control) + size_t(s.capacity) * sizeof(uint64_t);
  }
  static void prepare(void*, const QueueShape&) {}

 protected:
  using Base = QueueBase<Observer>;

  BROKKR_FN explicit WordRing(const QueueStorage& s) : Base(s) {}
  BROKKR_FN Control& control() const { return *this->template at<Control>(0); }
  // The slot of operation p.
  BROKKR_FN uint64_t& slot_of(uint32_t p) const {
    return this->template at<uint64_t>(sizeof(Control))[p & (Base::s_.shape.capacity - 1)];
  }
};

// SHCQ: the queue of [Shann00], with the correction of [Colvin05]: the bounds are checked before the slot is read. In
// the other order an element of the last lap, taken in the meantime, passes for a new one, and the tail is moved over a
// vacant slot.
//
// A slot is (count, element) in one 64-bit word that every change counts. A thread that finds a slot changed and its
// counter not yet moves the counter for the other thread. An operation takes effect when the counter moves.
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

// TZQ: the queue of [Tsigas01].
//
// Head and tail are hints that every second operation moves; from them an operation walks to the first slot that is its
// turn and claims it by compare-and-swap. Slots are (turn, element) in one 64-bit word, with the turns of
// lab/queue/ticket_queues.h: a slot names its lap, where the original has two kinds of null.
template <class Observer = Unobserved>
class TsigasZhangQueue : public WordRing<Observer> {
  using Base = WordRing<Observer>;
  using Base::load, Base::swap_if, Base::control, Base::slot_of, Base::s_;

 public:
  static constexpr QueueKind kKind = QueueKind::tzq;
  BROKKR_FN explicit TsigasZhangQueue(const QueueStorage& s) : Base(s) {}

  BROKKR_FN Outcome enqueue(uint32_t, uint32_t value) const {
    uint32_t& hint = control().tail.word;
    uint32_t from = load(hint);
    for (uint32_t p = from;;) {
      uint64_t& slot = slot_of(p);
      const uint64_t seen = load(slot);
      const int32_t turn = turn_at(seen, p);
      // Everything before p has been enqueued: an element of the last lap at p makes a full queue.
      if (turn < 0) return Outcome::refused;
      if (turn == 0 && swap_if(slot, seen, word_of(vacant(p) + 1u, value))) {
        move_hint(hint, from, p + 1u);
        return Outcome::done;
      }
      advance(hint, from, p, turn != 0);
    }
  }
  BROKKR_FN Outcome dequeue(uint32_t, uint32_t& value) const {
    uint32_t& hint = control().head.word;
    uint32_t from = load(hint);
    for (uint32_t p = from;;) {
      uint64_t& slot = slot_of(p);
      const uint64_t seen = load(slot);
      const int32_t turn = turn_at(seen, p);
      // Everything before p has been dequeued: a slot at p that waits for its element makes an empty queue.
      if (turn <= 0) return Outcome::refused;
      if (turn == 1 && swap_if(slot, seen, word_of(vacant(p) + s_.shape.capacity, 0))) {
        move_hint(hint, from, p + 1u);
        value = uint32_t(seen);
        return Outcome::done;
      }
      advance(hint, from, p, turn != 1);
    }
  }

 private:
  BROKKR_FN uint32_t vacant(uint32_t p) const { return p & (0u - s_.shape.capacity); }
  BROKKR_FN static uint64_t word_of(uint32_t turn, uint32_t value) { return uint64_t(turn) << 32 | value; }
  // 0: waits for enqueue p; 1: for dequeue p; less: for an earlier operation; more: for a later one.
  BROKKR_FN int32_t turn_at(uint64_t slot, uint32_t p) const { return int32_t(uint32_t(slot >> 32) - vacant(p)); }
  // Goes to the next slot, or to the hint's new position where that has moved.
  BROKKR_FN void advance(uint32_t& hint, uint32_t& from, uint32_t& p, bool passed) const {
    const uint32_t now = load(hint);
    if (int32_t(now - from) > 0) {
      from = now;
      if (int32_t(now - p) > 0) {
        p = now;
        return;
      }
    }
    if (passed) ++p;
  }
  BROKKR_FN void move_hint(uint32_t& hint, uint32_t from, uint32_t to) const {
    if ((to & 1u) == 0) swap_if(hint, from, to);
  }
};

BROKKR_MACHINE_END
