// The broker of one queue: it promises room to enqueuers and elements to dequeuers, and observes whether the queue is
// full or empty. Single lanes run it.
//
// The operation that got a promise keeps it: the count below is the queue's length as it will be once all operations
// under way are done.
//
// A claim is one atomic addition, made where the count allows it, and checked by the count that the addition returns
// ([Kerbl18, Alg. 1], ensureEnqueue and ensureDequeue). A claim takes back what it claimed too much. Others may have
// relied on that in the meantime, so that an operation that takes something back must claim again if the count then
// allows it: a refusal is final only once the count, without this claim, refuses.
//
// So promises may go beyond the capacity, or below nothing, for as long as a claim that went too far is not taken back.
// While a dequeuer that will be refused holds the count down, enqueuers are promised as much more. Whoever is the last
// to take such a claim back finds a count above the capacity, and claims again: it takes what the enqueuer without a
// slot waits for. The same holds the other way round (tests/engine/queue/promises_test.cpp).
#pragma once

#include "queue/access.h"
#include "queue/queue_memory.h"

BROKKR_MACHINE_BEGIN

template <class Observer = Unobserved>
class Broker {
 public:
  BROKKR_FN Broker(QueueControl& control, uint32_t capacity) : c_(control), capacity_(int32_t(capacity)) {}

  // Claims room for up to n more elements and returns their number, which the caller will put. 0: the queue is full.
  BROKKR_FN int claim_room(int n) {
    int got = 0;
    int room = capacity_ - count();
    while (room > 0 && got < n) {
      const int want = smaller(n - got, room);
      room = capacity_ - add(want);
      const int fits = smaller(want, room < 0 ? 0 : room);
      got += fits;
      room = fits == want ? room - want : capacity_ - (add(fits - want) + fits - want);
    }
    return got;
  }
  // Claims up to n elements and returns their number, which the caller will take. 0: the queue is empty.
  BROKKR_FN int claim_elements(int n) {
    int got = 0;
    int there = count();
    while (there > 0 && got < n) {
      const int want = smaller(n - got, there);
      there = add(-want);
      const int fits = smaller(want, there < 0 ? 0 : there);
      got += fits;
      there = fits == want ? there - want : add(want - fits) + want - fits;
    }
    return got;
  }
  // Claims n elements, a capacity at most, all or none. False: the queue has fewer.
  BROKKR_FN bool claim_all(int n) {
    for (int there = count(); there >= n;) {
      if (add(-n) >= n) return true;
      there = add(n) + n;
    }
    return false;
  }
  // The caller will put n elements, and knows that there is room. True: before, none was there.
  BROKKR_FN bool promise_elements(int n) { return add(n) <= 0; }

  // Elements that may be claimed.
  BROKKR_FN int available() {
    const int n = smaller(count(), capacity_);
    return n < 0 ? 0 : n;
  }

  // Draws tickets for n consecutive operations and returns the first.
  BROKKR_FN uint32_t draw_enqueue(int n) { return draw(c_.tail, n); }
  BROKKR_FN uint32_t draw_dequeue(int n) { return draw(c_.head, n); }

  // Whether the queue is full or empty by its tickets, at a moment during the call. Both counters only grow, so two
  // loads will do: if `tail`, read first, is a capacity ahead of `head`, the queue was full when `head` was read; if
  // `head`, read first, has been reached by `tail` at most, the queue was empty when `head` was read.
  BROKKR_FN bool observed_full() {
    const uint32_t tail = Watched<uint32_t, Observer>(c_.tail).load(kAcquire);
    const uint32_t head = Watched<uint32_t, Observer>(c_.head).load(kRelaxed);
    return int32_t(tail - head) >= capacity_;
  }
  BROKKR_FN bool observed_empty() {
    const uint32_t head = Watched<uint32_t, Observer>(c_.head).load(kAcquire);
    const uint32_t tail = Watched<uint32_t, Observer>(c_.tail).load(kRelaxed);
    return int32_t(tail - head) <= 0;
  }

 private:
  QueueControl& c_;
  int32_t capacity_;

  BROKKR_FN static int smaller(int a, int b) { return a < b ? a : b; }
  // May leave 0 .. capacity for a moment, until a claim is taken back.
  BROKKR_FN int count() { return int32_t(Watched<uint32_t, Observer>(c_.count).load(kRelaxed)); }
  // Returns the count before the addition.
  BROKKR_FN int add(int n) { return int32_t(Watched<uint32_t, Observer>(c_.count).fetch_add(uint32_t(n), kRelaxed)); }
  BROKKR_FN static uint32_t draw(uint32_t& counter, int n) {
    return Watched<uint32_t, Observer>(counter).fetch_add(uint32_t(n), kRelaxed);
  }
};

BROKKR_MACHINE_END
