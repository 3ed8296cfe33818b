// Rings of slots, with locks at both ends, or with slots that are 64-bit words changed by compare-and-swap: 2MQ, SHCQ
// and TZQ.
#pragma once

#include "lab/queue/queue_base.h"

BROKKR_MACHINE_BEGIN

// 2MQ: the two-lock queue of [Michael96], on a ring instead of a list, as [Kerbl18, Table 4.1] assumes (static memory,
// several elements at once).
//
// One lock for each end: an enqueue and a dequeue may run concurrently, two enqueues or two dequeues may not.
template <class Observer = Unobserved>
class DualMutexQueue : public Ring<Observer, uint32_t> {
  using Base = Ring<Observer, uint32_t>;
  using Base::load, Base::store, Base::watched, Base::control, Base::slot_of, Base::capacity;

 public:
  BROKKR_FN explicit DualMutexQueue(const QueueStorage& s) : Base(s) {}

  BROKKR_FN Outcome enqueue(uint32_t thread, uint32_t value) const {
    return this->outcome_of(enqueue_many(thread, &value, 1));
  }
  BROKKR_FN Outcome dequeue(uint32_t thread, uint32_t& value) const {
    return this->outcome_of(dequeue_many(thread, &value, 1));
  }
  BROKKR_FN int enqueue_many(uint32_t, const uint32_t* value, int n) const {
    auto& c = control();
    if (!lock(c.tail_lock.word)) return 0;
    const uint32_t tail = load(c.tail.word);
    const int room = capacity() - int(tail - load(c.head.word));
    const int got = n < room ? n : room;
    for (int i = 0; i < got; ++i) slot_of(tail + uint32_t(i)) = value[i];
    store(c.tail.word, tail + uint32_t(got));
    store(c.tail_lock.word, 0u);
    return got;
  }
  BROKKR_FN int dequeue_many(uint32_t, uint32_t* value, int n) const {
    auto& c = control();
    if (!lock(c.head_lock.word)) return 0;
    const uint32_t head = load(c.head.word);
    const int there = int(load(c.tail.word) - head);
    const int got = n < there ? n : there;
    for (int i = 0; i < got; ++i) value[i] = slot_of(head + uint32_t(i));
    store(c.head.word, head + uint32_t(got));
    store(c.head_lock.word, 0u);
    return got;
  }

 private:
  BROKKR_FN bool lock(uint32_t& word) const {
    for (int spin = 0; watched(word).exchange(1u, kAcquire) != 0;) {
      if (!this->wait(spin)) return false;
    }
    return true;
  }
};

// SHCQ: the queue of [Shann00], with the correction of [Colvin05]: the bounds are checked before the slot is read. In
// the other order an element of the last lap, taken in the meantime, passes for a new one, and the tail is moved over a
// vacant slot.
//
// A slot is (count, element) in one 64-bit word; every change increments the count. A thread that finds a slot changed
// but its counter not yet advanced advances the counter for the other thread. An operation takes effect when the
// counter advances.
template <class Observer = Unobserved>
class ShannQueue : public Ring<Observer, uint64_t> {
  using Base = Ring<Observer, uint64_t>;
  using Base::load, Base::swap_if, Base::control, Base::slot_of;

 public:
  BROKKR_FN explicit ShannQueue(const QueueStorage& s) : Base(s) {}

  BROKKR_FN Outcome enqueue(uint32_t, uint32_t value) const {
    auto& c = control();
    for (;;) {
      const uint32_t tail = load(c.tail.word);
      if (this->is_full(tail)) return Outcome::refused;
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
      if (this->is_empty(head)) return Outcome::refused;
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
// Head and tail are hints that every second operation advances. From a hint, an operation walks to the first slot whose
// turn it is and claims it by compare-and-swap. Slots are (turn, element) in one 64-bit word, with the turns of
// lab/queue/ticket_queues.h: a slot names its lap, where the original has two kinds of null.
template <class Observer = Unobserved>
class TsigasZhangQueue : public Ring<Observer, uint64_t> {
  using Base = Ring<Observer, uint64_t>;
  using Base::load, Base::swap_if, Base::control, Base::slot_of, Base::vacant, Base::s_;

 public:
  BROKKR_FN explicit TsigasZhangQueue(const QueueStorage& s) : Base(s) {}

  BROKKR_FN Outcome enqueue(uint32_t, uint32_t value) const {
    uint64_t seen = 0;
    return take_turn(control().tail.word, 0, seen, [&](uint32_t p) { return word_of(vacant(p) + 1u, value); });
  }
  BROKKR_FN Outcome dequeue(uint32_t, uint32_t& value) const {
    uint64_t seen = 0;
    const Outcome outcome =
        take_turn(control().head.word, 1, seen, [&](uint32_t p) { return word_of(vacant(p) + s_.shape.capacity, 0); });
    if (outcome == Outcome::done) value = uint32_t(seen);
    return outcome;
  }

 private:
  BROKKR_FN static uint64_t word_of(uint32_t turn, uint32_t value) { return uint64_t(turn) << 32 | value; }
  // Puts next(p) into the first slot p that waits for an enqueue (`turn` 0) or a dequeue (1) and held `seen`.
  template <class Next>
  BROKKR_FN Outcome take_turn(uint32_t& hint, uint32_t turn, uint64_t& seen, Next&& next) const {
    uint32_t from = load(hint);
    for (uint32_t p = from;;) {
      uint64_t& slot = slot_of(p);
      seen = load(slot);
      const int32_t ahead = int32_t(uint32_t(seen >> 32) - vacant(p) - turn);
      // All slots before p have had this turn: an element of the previous lap at p means a full queue, a slot at p that
      // waits for its element an empty one.
      if (ahead < 0) return Outcome::refused;
      if (ahead == 0 && swap_if(slot, seen, next(p))) {
        if (((p + 1u) & 1u) == 0) swap_if(hint, from, p + 1u);
        return Outcome::done;
      }
      advance(hint, from, p, ahead != 0);
    }
  }
  // Goes to the next slot, or to the hint's new position if that has moved.
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
};

BROKKR_MACHINE_END
