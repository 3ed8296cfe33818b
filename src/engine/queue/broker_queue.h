// Broker queues are bounded FIFO queues for many warps over static memory, after [Kerbl18, Alg. 1]. The broker work
// distributor [Kerbl18, 4.5.1] is a variant.
//
// An operation first asks the queue's broker for n elements, or for room for n. The broker keeps every promise. The
// operation may then draw n consecutive tickets from `tail` or `head`, and waits for its turn slot by slot. An
// operation that is refused never draws a ticket, so that "full" and "empty" block nobody.
//
// Tickets. Operation number p uses slot p mod capacity; with r = p - p mod capacity, the slot's ticket is r while it
// waits for enqueue p, r + 1 while it waits for dequeue p, and then r + capacity (the ticket of enqueue p + capacity).
// All arithmetic is modulo 2^32; capacity is a power of two, so wrapping around keeps it consistent.
//
// Memory orders. A slot's ticket is stored with release and awaited with acquire; that alone publishes an element, and
// gives the slot back. The control words are relaxed. They hand out unique numbers because a read-modify-write is
// atomic, and a thread's own draws are ordered because each counter is one word. FIFO order per producer, and between
// producers that synchronize with each other, follows from this coherence alone. Only the first load of an observation
// is an acquire, so that the second comes after it.
//
// Guarantees: No element is lost or duplicated. Elements leave in the order of their tickets. Everything that a warp
// wrote to memory before it enqueued an element is visible to the warp that dequeues it. Enqueue and dequeue never wait
// for room or for an element. They may wait for another operation that is in progress: one that has a promise and is
// not finished, or one that claims again and has not yet got its promise. All waits end if *abort is not 0. After an
// aborted wait, the queue's content is undefined until it is reset.
#pragma once

#include <bit>

#include "machine/machine.h"
#include "queue/queue_memory.h"

// The access of queues to shared memory: device_atomic, with an observer that is called before every access. Programs
// run unobserved, which costs nothing. Tests interleave threads access by access, or disturb their timing
// (tests/engine/queue/interleaving.h).

BROKKR_MACHINE_BEGIN

struct Unobserved {
  BROKKR_FN static void step() {}
  // Makes one step of a wait for another thread.
  BROKKR_FN static void pause(int spin) { brokkr::pause(spin); }
};

// Has the interface of device_atomic<T>.
template <class T, class Observer>
class Watched {
 public:
  BROKKR_FN explicit Watched(T& word) : word_(word) {}

#define BROKKR_WATCHED(access, parameters, arguments) \
  template <class Order>                              \
  BROKKR_FN auto access parameters const {            \
    Observer::step();                                 \
    return word_.access arguments;                    \
  }
  BROKKR_WATCHED(load, (Order order), (order))
  BROKKR_WATCHED(store, (T value, Order order), (value, order))
  BROKKR_WATCHED(fetch_add, (T n, Order order), (n, order))
  BROKKR_WATCHED(fetch_or, (T bits, Order order), (bits, order))
  BROKKR_WATCHED(exchange, (T value, Order order), (value, order))
  // The strong exchange does not fail spuriously.
  BROKKR_WATCHED(compare_exchange_strong, (T & expected, T desired, Order order), (expected, desired, order))
  BROKKR_WATCHED(compare_exchange_weak, (T & expected, T desired, Order order), (expected, desired, order))
#undef BROKKR_WATCHED

 private:
  mutable device_atomic<T> word_;
};

BROKKR_MACHINE_END

// The broker of one queue: it promises room to enqueuers and elements to dequeuers, and observes whether the queue is
// full or empty. Single lanes run it.
//
// An operation that got a promise keeps it. The count below is the length that the queue will have when all operations
// in progress are done.
//
// A claim is one atomic addition. It is made if the count allows it, and the count that the addition returns checks it
// ([Kerbl18, Alg. 1], ensureEnqueue and ensureDequeue). A claim that took too much takes back the excess. Others may
// have relied on the excess in the meantime. An operation that takes something back must therefore claim again if the
// count then allows it: a refusal is final only if the count, without this claim, refuses.
//
// Therefore promises may exceed the capacity, or go below 0, until an excessive claim is taken back. While a dequeuer
// that will be refused holds the count down, enqueuers receive more promises by the same amount. The operation that
// takes back the last of these claims finds a count above the capacity and claims again: it takes the element that the
// enqueuer without a slot waits for. The same holds in the other direction (tests/engine/queue/promises_test.cpp).

BROKKR_MACHINE_BEGIN

template <class Observer = Unobserved>
class Broker {
 public:
  BROKKR_FN Broker(QueueControl& control, uint32_t capacity) : c_(control), capacity_(int32_t(capacity)) {}

  // Claims room for up to n more elements and returns their number. The caller must put them. 0: the queue is full.
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
  // Claims up to n elements and returns their number. The caller must take them. 0: the queue is empty.
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
  // Claims n elements, at most the capacity, all or none. Returns false if the queue has fewer.
  BROKKR_FN bool claim_all(int n) {
    for (int there = count(); there >= n;) {
      if (add(-n) >= n) return true;
      there = add(n) + n;
    }
    return false;
  }
  // The caller will put n elements and knows that there is room. Returns true if the queue had no elements before.
  BROKKR_FN bool promise_elements(int n) { return add(n) <= 0; }

  // The number of elements that may be claimed.
  BROKKR_FN int available() {
    const int n = smaller(count(), capacity_);
    return n < 0 ? 0 : n;
  }

  // Draws tickets for n consecutive operations and returns the first.
  BROKKR_FN uint32_t draw_enqueue(int n) { return draw(c_.tail, n); }
  BROKKR_FN uint32_t draw_dequeue(int n) { return draw(c_.head, n); }

  // These return true if the queue is full or empty by its tickets, at a moment during the call. Both counters only
  // grow, so two loads suffice. If `tail` is read first and is a capacity ahead of `head`, the queue was full when
  // `head` was read. If `head` is read first and `tail` is at most equal to it, the queue was empty when `head` was
  // read.
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
  // The count may leave 0 .. capacity for a moment, until a claim is taken back.
  BROKKR_FN int count() { return int32_t(Watched<uint32_t, Observer>(c_.count).load(kRelaxed)); }
  // Returns the count before the addition.
  BROKKR_FN int add(int n) { return int32_t(Watched<uint32_t, Observer>(c_.count).fetch_add(uint32_t(n), kRelaxed)); }
  BROKKR_FN static uint32_t draw(uint32_t& counter, int n) {
    return Watched<uint32_t, Observer>(counter).fetch_add(uint32_t(n), kRelaxed);
  }
};

BROKKR_MACHINE_END

BROKKR_MACHINE_BEGIN

// The ticket of a locked slot whose element was published with `ticket`. Nobody waits for it, because a capacity is at
// least 4.
BROKKR_FN uint32_t locked_ticket(uint32_t ticket) { return ticket + 1; }

// Any number of queues of equal capacity. Index q: 0 .. queues - 1.
template <int kWords, class Observer = Unobserved>
class BrokerQueues {
 public:
  static constexpr int kSlotWords = QueueMemory<kWords>::kSlotWords;

  BROKKR_FN explicit BrokerQueues(const QueueMemory<kWords>& m) : m_(m) {}

  // Enqueues one element of the whole warp. Returns false if the queue is full.
  BROKKR_FN bool enqueue(Warp& w, int q, const uint32_t (&element)[kWords]) {
    w.sync();  // everything that lanes have written is published with the element
    return w.uniform([&]() -> bool {
      if (claim_room(q, 1) == 0) return false;
      return put(q, broker(q).draw_enqueue(1), element);
    });
  }

  // Dequeues one element for the whole warp. Returns false if the queue is empty; `element` is then undefined.
  BROKKR_FN bool dequeue(Warp& w, int q, uint32_t (&element)[kWords]) {
    const uint64_t drawn = w.uniform([&]() -> uint64_t {
      if (claim_elements(q, 1) == 0) return 0;
      const uint32_t p = broker(q).draw_dequeue(1);
      return await(slot_of(q, p), published(p)) ? (uint64_t(1) << 32) | p : 0;
    });
    if (drawn == 0) return false;
    w.sync();  // all lanes see the result that one of them waited for
    const uint32_t p = uint32_t(drawn);
    const uint32_t* slot = slot_of(q, p);
    for (int k = 0; k < kWords; ++k) element[k] = slot[1 + k];
    w.sync();  // all lanes have read before one of them gives the slot back
    w.once([&] { release(slot_of(q, p), freed(p)); });
    return true;
  }

  // Enqueues the elements of the lanes of m, in lane order, with one draw. Returns the lanes whose element was
  // accepted; these are the first lanes.
  BROKKR_FN Mask enqueue(Warp& w, int q, const Uint (&element)[kWords], Mask m) {
    const uint32_t bits = w.ballot(m);
    if (bits == 0) return false;
    const uint64_t drawn = w.uniform([&]() -> uint64_t {
      const int got = claim_room(q, count_bits(bits));
      return got == 0 ? 0 : (uint64_t(uint32_t(got)) << 32) | broker(q).draw_enqueue(got);
    });
    uint32_t in = bits;
    for (int refused = count_bits(bits) - int(drawn >> 32); refused > 0; --refused) in &= ~highest_bit(in);
    const Mask taken = w.lanes_of(in);
    put_lanes(w, q, uint32_t(drawn), in, element, taken);
    return taken;
  }

  // Dequeues up to n <= width elements with one draw. The oldest goes to lane 0. Returns their number; other lanes are
  // undefined. kLocks: each slot is locked before it is read, which is necessary if other warps exchange elements of
  // the queue.
  template <bool kLocks = false>
  BROKKR_FN int dequeue(Warp& w, int q, Uint (&element)[kWords], int n) {
    if (n <= 0) return 0;
    const uint64_t drawn = w.uniform([&]() -> uint64_t {
      const int got = claim_elements(q, n);
      return got == 0 ? 0 : (uint64_t(uint32_t(got)) << 32) | broker(q).draw_dequeue(got);
    });
    const int got = int(drawn >> 32);
    return got == 0 ? 0 : get_lanes<kLocks>(w, q, uint32_t(drawn), element, got);
  }

  // Enqueues lane i's element to queue q_i, for the lanes of m, with one draw per queue. The caller guarantees room,
  // with a reservation that bounds the elements in each queue and on their way to it. A lane calls filled(q) if it has
  // raised the count of queue q from 0.
  template <class F>
  BROKKR_FN void scatter_enqueue(Warp& w, Int q, const Uint (&element)[kWords], Mask m, F&& filled) {
    const uint32_t bits = w.ballot(m);
    if (bits == 0) return;
    // The lanes of one queue form a group. Its first lane draws for all, and the others follow it in lane order.
    Int leader = -1, rank = 0, members = 0;
    for (uint32_t left = bits; left != 0; left &= left - 1) {
      const int i = count_bits((left & (0u - left)) - 1u);
      const Mask same = m && q == w.broadcast(q, i);
      leader = select(same && leader < 0, i, leader);
      members = members + select(same, 1, 0);
      rank = rank + select(same && w.lane() > i, 1, 0);
    }
    auto first = w.spill(0u);
    const auto queue_of = w.spill(q);
    const auto members_of = w.spill(members);
    w.for_lanes(m && leader == w.lane(), [&](int i) {
      const int n = members_of[i];
      Broker<Observer> of_queue = broker(queue_of[i]);
      const bool was_empty = of_queue.promise_elements(n);
      first.set(i, of_queue.draw_enqueue(n));
      if (was_empty) filled(queue_of[i]);
    });
    const Uint ticket = w.shuffle(first.lanes(), select(leader < 0, 0, leader)) + as_uint(rank);
    put_lanes(w, q, ticket, 0, element, m);
  }

  BROKKR_FN void scatter_enqueue(Warp& w, Int q, const Uint (&element)[kWords], Mask m) {
    scatter_enqueue(w, q, element, m, [](int) {});
  }

  // Claims n elements, all or none, which the caller must take at once. Returns false if the queue has fewer.
  BROKKR_FN bool claim_all(Warp& w, int q, int n) {
    return w.uniform([&]() -> bool { return broker(q).claim_all(n); });
  }
  // Dequeues n <= width elements that the caller has claimed, like `dequeue`. Returns n, or 0 after an abort.
  BROKKR_FN int take(Warp& w, int q, Uint (&element)[kWords], int n) {
    if (n <= 0) return 0;
    return get_lanes(w, q, w.uniform([&] { return broker(q).draw_dequeue(n); }), element, n);
  }

  // ---- For single lanes that act independently: in w.once, in w.for_lanes, or in code without warps.

  // Enqueues up to n elements with consecutive tickets. Returns the number of elements that the queue took, from the
  // first.
  BROKKR_FN int enqueue_from_lane(int q, const uint32_t (*element)[kWords], int n) const {
    const int got = claim_room(q, n);
    if (got == 0) return 0;
    const uint32_t p = broker(q).draw_enqueue(got);
    for (int i = 0; i < got; ++i) {
      if (!put(q, p + uint32_t(i), element[i])) return i;
    }
    return got;
  }
  // Dequeues up to n elements, the oldest first. Returns their number. kLocks is that of `dequeue`.
  template <bool kLocks = false>
  BROKKR_FN int dequeue_to_lane(int q, uint32_t (*element)[kWords], int n) const {
    const int got = claim_elements(q, n);
    if (got == 0) return 0;
    const uint32_t p = broker(q).draw_dequeue(got);
    for (int i = 0; i < got; ++i) {
      uint32_t* slot = slot_of(q, p + uint32_t(i));
      const uint32_t mine = p + uint32_t(i);
      if (!(kLocks ? await_and_lock(slot, mine) : await(slot, published(mine)))) return i;
      for (int k = 0; k < kWords; ++k) element[i][k] = slot[1 + k];
      release(slot, freed(mine));
    }
    return got;
  }

  // The number of elements that may be claimed at some moment during the call.
  BROKKR_FN int size(Warp& w, int q) {
    return w.uniform([&]() -> int { return broker(q).available(); });
  }

 private:
  QueueMemory<kWords> m_;

  // ---- Single lanes run these.

  BROKKR_FN Broker<Observer> broker(int q) const { return Broker<Observer>(m_.control[q], m_.capacity); }

  // The broker's answer. In the linearizable discipline, a refusal waits until it can be observed.
  BROKKR_FN int claim_room(int q, int n) const {
    for (int spin = 0;; ++spin) {
      const int got = broker(q).claim_room(n);
      if (got > 0 || m_.discipline == Discipline::distributor) return got;
      if (broker(q).observed_full() || aborted()) return 0;
      Observer::pause(spin);
    }
  }
  BROKKR_FN int claim_elements(int q, int n) const {
    for (int spin = 0;; ++spin) {
      const int got = broker(q).claim_elements(n);
      if (got > 0 || m_.discipline == Discipline::distributor) return got;
      if (broker(q).observed_empty() || aborted()) return 0;
      Observer::pause(spin);
    }
  }
  BROKKR_FN bool aborted() const {
    return m_.abort != nullptr && system_atomic<uint32_t>(*m_.abort).load(kRelaxed) != 0;
  }

  // ---- Tickets and slots.

  BROKKR_FN uint32_t* slot_of(int q, uint32_t p) const {
    return m_.slots + (size_t(uint32_t(q)) * m_.capacity + (p & (m_.capacity - 1))) * kSlotWords;
  }
  BROKKR_FN uint32_t vacant(uint32_t p) const { return p & (0u - m_.capacity); }
  BROKKR_FN uint32_t published(uint32_t p) const { return vacant(p) + 1; }
  BROKKR_FN uint32_t freed(uint32_t p) const { return vacant(p) + m_.capacity; }
  // Waits for the ticket. Returns false after an abort.
  BROKKR_FN bool await(uint32_t* slot, uint32_t ticket) const {
    for (int spin = 0; Watched<uint32_t, Observer>(*slot).load(kAcquire) != ticket; ++spin) {
      if (aborted()) return false;
      Observer::pause(spin);
    }
    return true;
  }
  // Waits for the element of ticket p and locks its slot. Nobody else exchanges the element until the slot is released.
  BROKKR_FN bool await_and_lock(uint32_t* slot, uint32_t p) const {
    for (int spin = 0;; ++spin) {
      uint32_t ticket = published(p);
      if (Watched<uint32_t, Observer>(*slot).load(kRelaxed) == ticket &&
          Watched<uint32_t, Observer>(*slot).compare_exchange_strong(ticket, locked_ticket(ticket), kAcqRel))
        return true;
      if (aborted()) return false;
      Observer::pause(spin);
    }
  }
  BROKKR_FN static void release(uint32_t* slot, uint32_t ticket) {
    Watched<uint32_t, Observer>(*slot).store(ticket, kRelease);
  }
  BROKKR_FN bool put(int q, uint32_t p, const uint32_t (&element)[kWords]) const {
    uint32_t* slot = slot_of(q, p);
    if (!await(slot, vacant(p))) return false;
    for (int k = 0; k < kWords; ++k) slot[1 + k] = element[k];
    release(slot, published(p));
    return true;
  }

  // ---- Many lanes at once.

  // Lane i of m puts its element at ticket first_i + (lanes of `consecutive` below it).
  BROKKR_FN void put_lanes(Warp& w, Int q, Uint first, uint32_t consecutive, const Uint (&element)[kWords], Mask m) {
    const auto queue_of = w.spill(q);
    const auto first_of = w.spill(first);
    Warp::Spilled<uint32_t> words[kWords];
    for (int k = 0; k < kWords; ++k) words[k] = w.spill(element[k]);
    w.sync();  // everything that lanes have written is published with each element
    w.for_lanes(m, [&](int i) {
      const uint32_t p = first_of[i] + uint32_t(count_bits(consecutive & ((1u << i) - 1u)));
      uint32_t* slot = slot_of(queue_of[i], p);
      if (!await(slot, vacant(p))) return;
      for (int k = 0; k < kWords; ++k) slot[1 + k] = words[k][i];
      release(slot, published(p));
    });
  }
  // Gets the elements of tickets p .. p + n - 1 for lanes 0 .. n - 1. Returns n, or 0 after an abort.
  template <bool kLocks = false>
  BROKKR_FN int get_lanes(Warp& w, int q, uint32_t p, Uint (&element)[kWords], int n) {
    Warp::Spilled<uint32_t> words[kWords];
    for (auto& word : words) word = w.spill(0u);
    bool lost = false;  // true in one lane on CUDA, or in all lanes elsewhere
    w.for_lanes(w.first_lanes(n), [&](int i) {
      const uint32_t mine = p + uint32_t(i);
      uint32_t* slot = slot_of(q, mine);
      if (!(kLocks ? await_and_lock(slot, mine) : await(slot, published(mine)))) {
        lost = true;
        return;
      }
      for (int k = 0; k < kWords; ++k) words[k].set(i, slot[1 + k]);
      release(slot, freed(mine));
    });
    for (int k = 0; k < kWords; ++k) element[k] = words[k].lanes();
    return w.any(lost) ? 0 : n;
  }

  BROKKR_FN static uint32_t highest_bit(uint32_t bits) { return 0x80000000u >> std::countl_zero(bits); }
};

BROKKR_MACHINE_END
