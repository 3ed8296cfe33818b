// The queue of queues: one queue per producer, as general-purpose queues of CPUs are built (MCQ).
#pragma once

#include "lab/queue/queue_base.h"

BROKKR_MACHINE_BEGIN

// MCQ: the structure of [Desrochers14] (moodycamel's ConcurrentQueue), from its description.
//
// Every thread that enqueues has its own queue, and no other thread appends to it. So the only atomic operation of an
// enqueue is the release of its tail. A thread that dequeues tries the producer that served it last, then the others in
// turn. Three counts guard the end that consumers share: `optimistic` counts attempts, `overcommit` counts the attempts
// that came too late, and `head` those that found an element. An attempt succeeds if optimistic - overcommit is still
// before the tail once it has counted itself; only then it takes the next place at the head, which certainly has an
// element.
//
// Slots lie in blocks of `segment`, from a pool that all producers share. The thread that takes the last element of a
// block gives it back. Each producer has a table of its blocks by their order; an entry is in use until its block is
// given back, and a producer whose next entry is in use, or that finds the pool empty, reports "full". The queue keeps
// the order of each producer only, and "empty" means that each producer was found empty, one after another.
template <class Observer = Unobserved>
class ProducerQueue : public QueueBase<Observer> {
  using Base = QueueBase<Observer>;
  using Base::add, Base::load, Base::store, Base::swap_if, Base::watched, Base::link, Base::s_;

  struct Control {
    LineOf<uint64_t> free;  // a counted link: the first free block of the list
    LineOf<uint32_t> fresh, taken;
  };
  // Written by the producer: tail, block; by consumers: the rest. `last` belongs to the thread as a consumer.
  struct Producer {
    LineOf<uint32_t> tail, optimistic, overcommit, head;
    uint32_t block, last;
  };
  struct Block {
    uint32_t emptied;  // elements that have been taken
    uint32_t next;     // next block of the free list
  };

 public:
  static size_t bytes(const QueueShape& s) {
    check_queue_shape(s);
    return offsets(s).end;
  }
  static void prepare(void*, const QueueShape&) {}

  BROKKR_FN explicit ProducerQueue(const QueueStorage& s) : Base(s) {}
  BROKKR_FN uint32_t allocated() const { return load(control().taken.word); }

  BROKKR_FN Outcome enqueue(uint32_t thread, uint32_t value) const {
    Producer& self = producer(thread);
    const uint32_t tail = watched(self.tail.word).load(kRelaxed);
    const uint32_t place = tail & (s_.shape.segment - 1);
    if (place == 0) {
      uint32_t& entry = entry_of(thread, tail);
      if (load(entry) != 0) return Outcome::refused;
      const uint32_t block = take_block();
      if (block == 0) return Outcome::refused;
      self.block = block;
      store(entry, block);
    }
    slot(self.block, place) = value;
    store(self.tail.word, tail + 1);
    return Outcome::done;
  }

  BROKKR_FN Outcome dequeue(uint32_t thread, uint32_t& value) const {
    Producer& self = producer(thread);
    const uint32_t threads = s_.shape.threads;
    for (uint32_t i = 0, from = self.last; i < threads; ++i, from = from + 1 < threads ? from + 1 : 0) {
      if (!take(from, value)) continue;
      self.last = from;
      return Outcome::done;
    }
    return this->aborted() ? Outcome::aborted : Outcome::refused;
  }

 private:
  struct Offsets {
    size_t producers, blocks, entries, slots, end;
  };
  BROKKR_FN static constexpr uint32_t blocks(const QueueShape& s) { return s.capacity / s.segment + 2 * s.threads; }
  // The number of entries in one producer's table: a power of two, enough for the maximum number of elements of one
  // producer.
  BROKKR_FN static constexpr uint32_t entries(const QueueShape& s) {
    return s.capacity > s.segment ? 2 * (s.capacity / s.segment) : 2;
  }
  BROKKR_FN static constexpr Offsets offsets(const QueueShape& s) {
    Offsets o{};
    o.producers = sizeof(Control);
    o.blocks = o.producers + size_t(s.threads) * sizeof(Producer);
    o.entries = o.blocks + (size_t(blocks(s)) + 1) * sizeof(Block);  // 0 is no block
    o.slots = o.entries + size_t(s.threads) * entries(s) * sizeof(uint32_t);
    o.end = o.slots + (size_t(blocks(s)) + 1) * s.segment * sizeof(uint32_t);
    return o;
  }

  BROKKR_FN Control& control() const { return *this->template at<Control>(0); }
  BROKKR_FN Producer& producer(uint32_t i) const { return this->template at<Producer>(offsets(s_.shape).producers)[i]; }
  BROKKR_FN Block& block(uint32_t i) const { return this->template at<Block>(offsets(s_.shape).blocks)[i]; }
  BROKKR_FN uint32_t& slot(uint32_t block, uint32_t place) const {
    return this->template at<uint32_t>(offsets(s_.shape).slots)[size_t(block) * s_.shape.segment + place];
  }
  // The table's entry for the block that holds position p of producer i.
  BROKKR_FN uint32_t& entry_of(uint32_t i, uint32_t p) const {
    const uint32_t n = entries(s_.shape);
    return this->template at<uint32_t>(offsets(s_.shape).entries)[size_t(i) * n + (p / s_.shape.segment & (n - 1))];
  }

  // Takes the next element of producer i. Returns false if it has none.
  BROKKR_FN bool take(uint32_t i, uint32_t& value) const {
    Producer& owner = producer(i);
    const uint32_t late = load(owner.overcommit.word);
    if (int32_t(load(owner.tail.word) - (load(owner.optimistic.word) - late)) <= 0) return false;
    const uint32_t mine = add(owner.optimistic.word, 1u);
    if (int32_t(load(owner.tail.word) - (mine - late)) <= 0) {
      add(owner.overcommit.word, 1u);
      return false;
    }
    const uint32_t p = add(owner.head.word, 1u);
    uint32_t& entry = entry_of(i, p);
    const uint32_t number = load(entry);
    value = slot(number, p & (s_.shape.segment - 1));
    if (add(block(number).emptied, 1u) + 1 == s_.shape.segment) {
      watched(block(number).emptied).store(0u, kRelaxed);
      store(entry, 0u);
      give_block(number);
    }
    return true;
  }

  // Takes a block; returns 0 if there is none.
  BROKKR_FN uint32_t take_block() const {
    Control& c = control();
    for (;;) {
      const uint64_t top = load(c.free.word);
      const uint32_t i = uint32_t(top);
      if (i == 0) break;
      const uint32_t next = watched(block(i).next).load(kRelaxed);
      if (swap_if(c.free.word, top, link(next, top))) {
        add(c.taken.word, 1u);
        return i;
      }
    }
    for (;;) {
      const uint32_t used = load(c.fresh.word);
      if (used >= blocks(s_.shape)) return 0;
      if (!swap_if(c.fresh.word, used, used + 1)) continue;
      add(c.taken.word, 1u);
      return used + 1;
    }
  }
  BROKKR_FN void give_block(uint32_t i) const {
    Control& c = control();
    for (;;) {
      const uint64_t top = load(c.free.word);
      watched(block(i).next).store(uint32_t(top), kRelaxed);
      if (swap_if(c.free.word, top, link(i, top))) return;
    }
  }
};

BROKKR_MACHINE_END
