// The broker of one queue: it promises room to enqueuers and elements to dequeuers, and observes whether the queue is
// full or empty. Single lanes run it.
//
// The operation that got a promise keeps it: the sums below describe the queue as it will be once all operations under
// way are done. `available` elements may still be claimed; `occupied` slots hold an element or have been promised one.
// They differ by the elements that are reserved, claimed but not yet taken, of which there are never more than slots.
//
// A claim is one atomic addition, made where the sums allow it, and checked by the sums that the addition returns
// ([Kerbl18, Alg. 1], ensureEnqueue and ensureDequeue). A claim takes back what it claimed too much. Others may have
// relied on that in the meantime, so that an operation that takes something back must claim again if the sums then
// allow it: a refusal is final only once the sums, without this claim, refuse. Reservations use compare-and-swap
// instead, since nothing would redeem a reservation of an element that was taken back.
#pragma once

#include "queue/access.h"
#include "queue/queue_memory.h"

BROKKR_MACHINE_BEGIN

// Packed as occupied * 2^32 + available; either may leave 0 .. capacity for a moment, until a claim is taken back.
struct Counts {
  int32_t available, occupied;

  BROKKR_FN static uint64_t pack(int32_t available, int32_t occupied) {
    return (uint64_t(uint32_t(occupied)) << 32) + uint64_t(int64_t(available));
  }
  BROKKR_FN static Counts unpack(uint64_t v) {
    const int32_t low = int32_t(uint32_t(v));
    return {low, int32_t(uint32_t((v - uint64_t(int64_t(low))) >> 32))};
  }
};

template <class Observer = Unobserved>
class Broker {
 public:
  BROKKR_FN Broker(QueueControl& control, uint32_t capacity) : c_(control), capacity_(int32_t(capacity)) {}

  // Claims room for up to n more elements and returns their number, which the caller will put. 0: the queue is full.
  BROKKR_FN int claim_room(int n) {
    int got = 0;
    int room = capacity_ - counts().occupied;
    while (room > 0 && got < n) {
      const int want = smaller(n - got, room);
      room = capacity_ - add(want, want).occupied;
      const int fits = smaller(want, room < 0 ? 0 : room);
      got += fits;
      room = fits == want ? room - want : capacity_ - (add(fits - want, fits - want).occupied + fits - want);
    }
    return got;
  }
  // Claims up to n elements and returns their number, which the caller will take. 0: the queue is empty.
  BROKKR_FN int claim_elements(int n) {
    int got = 0;
    int there = counts().available;
    while (there > 0 && got < n) {
      const int want = smaller(n - got, there);
      there = add(-want, -want).available;
      const int fits = smaller(want, there < 0 ? 0 : there);
      got += fits;
      there = fits == want ? there - want : add(want - fits, want - fits).available + want - fits;
    }
    return got;
  }
  // The caller will put n elements, and knows that there is room.
  BROKKR_FN void promise_elements(int n) { add(n, n); }

  // Claims n elements, all or none; they keep their slots until they are taken.
  BROKKR_FN bool reserve(int n) {
    if (n == 0) return true;
    Watched<uint64_t, Observer> word(c_.counts);
    uint64_t seen = word.load(kRelaxed);
    for (;;) {
      const Counts now = Counts::unpack(seen);
      // While more slots are promised than exist, that many elements will be taken back.
      const int doubtful = now.occupied > capacity_ ? now.occupied - capacity_ : 0;
      if (now.available - doubtful < n) return false;
      if (word.compare_exchange_weak(seen, seen - Counts::pack(n, 0), kRelaxed)) return true;
    }
  }
  BROKKR_FN void unreserve(int n) { add(n, 0); }
  // The caller will take n of the elements it has reserved.
  BROKKR_FN void redeem(int n) { add(0, -n); }

  BROKKR_FN int available() {
    const int n = smaller(counts().available, capacity_);
    return n < 0 ? 0 : n;
  }
  BROKKR_FN bool has_reserved() {
    const Counts now = counts();
    return now.occupied != now.available;
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
  BROKKR_FN Counts counts() { return Counts::unpack(Watched<uint64_t, Observer>(c_.counts).load(kRelaxed)); }
  // Returns the sums before the addition.
  BROKKR_FN Counts add(int available, int occupied) {
    return Counts::unpack(
        Watched<uint64_t, Observer>(c_.counts).fetch_add(Counts::pack(available, occupied), kRelaxed));
  }
  BROKKR_FN static uint32_t draw(uint32_t& counter, int n) {
    return Watched<uint32_t, Observer>(counter).fetch_add(uint32_t(n), kRelaxed);
  }
};

BROKKR_MACHINE_END
