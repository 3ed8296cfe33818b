// LCRQ: the linked concurrent ring queue [Morrison13]: a list of rings. Elements leave
// the first ring and enter the last; when that closes, a new one is appended.
//
// Rings come from a pool. The original's hazard pointers [Michael04] determine which rings may be reused: a thread
// publishes the ring that it works on, and a ring that has left the list is free once no thread names it. As in the
// original, all threads' names are read once for many rings: when the pool has no free ring, one thread frees all rings
// that are not named. The pool is large enough that this frees at least half as many rings as there are threads, so a
// ring costs a few reads, however many threads there are. A thread that needs a ring meanwhile waits, where the
// original would allocate one. "Full" means that no ring could be freed. Publishing a name and reading the names are
// sequentially consistent, because each writes one word before it reads another.
#pragma once

#include "lab/queue/queue_base.h"

BROKKR_MACHINE_BEGIN

// CRQ: one ring of the list.
//
// Fetch-and-add gives an operation its position. A cell (safe, position, element) is changed by compare-and-swap from
// the state that the position expects; if another operation was faster, the operation tries the next position. A ring
// that is full, or whose enqueuers starve, is closed forever. The original's cells have 128 bits; here position and
// element have 31 and 32, so a ring is closed before its positions run out.
struct RingHeader {
  LineOf<uint32_t> head, tail;  // positions; the tail's highest bit: closed
  LineOf<uint32_t> next;        // ring + 1, 0: none
  LineOf<uint32_t> state;       // kFree ...
};

template <class Observer>
class ConcurrentRing : SharedWords<Observer> {
  using Words = SharedWords<Observer>;
  using Words::load, Words::swap_if, Words::watched;

 public:
  static constexpr uint32_t kClosed = 1u << 31;
  static constexpr uint32_t kLastPosition = 1u << 30;

  BROKKR_FN ConcurrentRing(RingHeader& header, uint64_t* cells, uint32_t size)
      : h_(header), cells_(cells), size_(size) {}

  // Empties the ring while no other thread uses it.
  BROKKR_FN void clear() const {
    for (uint32_t i = 0; i < size_; ++i) watched(cells_[i]).store(cell_of(true, i, kVacant), kRelaxed);
    watched(h_.head.word).store(0u, kRelaxed);
    watched(h_.tail.word).store(0u, kRelaxed);
    watched(h_.next.word).store(0u, kRelease);
  }
  // Returns false if the ring is closed.
  BROKKR_FN bool enqueue(uint32_t value) const {
    for (int tries = 0;; ++tries) {
      const uint32_t t = watched(h_.tail.word).fetch_add(1u, kAcqRel);
      if ((t & kClosed) != 0) return false;
      uint64_t& cell = cells_[t & (size_ - 1)];
      const uint64_t seen = load(cell);
      if (element(seen) == kVacant && position(seen) <= t && (is_safe(seen) || load(h_.head.word) <= t) &&
          swap_if(cell, seen, cell_of(true, t, value))) {
        return true;
      }
      if (int32_t(t - load(h_.head.word)) >= int32_t(size_) || tries >= kTries || t >= kLastPosition) {
        watched(h_.tail.word).fetch_or(kClosed, kAcqRel);
        return false;
      }
    }
  }
  // Returns false if the ring is empty.
  BROKKR_FN bool dequeue(uint32_t& value) const {
    for (;;) {
      // If the ring is empty and its positions are almost used up, do not waste any.
      if (load(h_.head.word) >= kLastPosition && load(h_.head.word) >= (load(h_.tail.word) & ~kClosed)) {
        return false;
      }
      const uint32_t h = watched(h_.head.word).fetch_add(1u, kAcqRel);
      uint64_t& cell = cells_[h & (size_ - 1)];
      for (;;) {
        const uint64_t seen = load(cell);
        if (position(seen) > h) break;
        if (element(seen) == kVacant) {
          // From now on, no enqueue at h or earlier may use this cell.
          if (swap_if(cell, seen, cell_of(is_safe(seen), h + size_, kVacant))) break;
        } else if (position(seen) == h) {
          if (swap_if(cell, seen, cell_of(is_safe(seen), h + size_, kVacant))) {
            value = element(seen);
            return true;
          }
        } else if (swap_if(cell, seen, cell_of(false, position(seen), element(seen)))) {
          break;  // an earlier element is still here: enqueue h must not use this cell
        }
      }
      if ((load(h_.tail.word) & ~kClosed) <= h + 1) {
        fix_state();
        return false;
      }
    }
  }

 private:
  static constexpr uint32_t kVacant = 0xffffffffu;
  static constexpr int kTries = 10;  // until an enqueuer starves
  RingHeader& h_;
  uint64_t* cells_;
  uint32_t size_;

  BROKKR_FN static uint64_t cell_of(bool safe, uint32_t position, uint32_t element) {
    return (safe ? uint64_t(1) << 63 : 0) | uint64_t(position) << 32 | element;
  }
  BROKKR_FN static bool is_safe(uint64_t cell) { return cell >> 63 != 0; }
  BROKKR_FN static uint32_t position(uint64_t cell) { return uint32_t(cell >> 32) & 0x7fffffffu; }
  BROKKR_FN static uint32_t element(uint64_t cell) { return uint32_t(cell); }

  // Dequeuers have passed the tail: move the tail after them.
  BROKKR_FN void fix_state() const {
    for (;;) {
      const uint32_t t = load(h_.tail.word);
      const uint32_t h = load(h_.head.word);
      if (load(h_.tail.word) != t) continue;
      if (h <= t || swap_if(h_.tail.word, t, h)) return;  // a closed tail is beyond any head
    }
  }
};

template <class Observer = Unobserved>
class LinkedRingQueue : public QueueBase<Observer> {
  using Base = QueueBase<Observer>;
  using Base::load, Base::store, Base::add, Base::swap_if, Base::watched, Base::link, Base::s_;
  using Ring = ConcurrentRing<Observer>;

 public:
  struct Control {
    LineOf<uint64_t> head, tail;  // (tag, ring)
    LineOf<uint32_t> taken;       // rings used so far, once each, plus one
    LineOf<uint32_t> cursor;      // where the search for a free ring continues
    LineOf<uint32_t> collector;   // 1: a thread is freeing rings
  };
  static size_t bytes(const QueueShape& s) {
    check_queue_shape(s);
    return cells_offset(s) + size_t(rings(s)) * s.segment * sizeof(uint64_t);
  }
  static void prepare(void* memory, const QueueShape& s) {
    auto* bytes = static_cast<std::byte*>(memory);
    auto* headers = reinterpret_cast<RingHeader*>(bytes + sizeof(Control));
    auto* cells = reinterpret_cast<uint64_t*>(bytes + cells_offset(s));
    headers[0].state.word = kUsed;
    for (uint32_t i = 0; i < s.segment; ++i) cells[i] = uint64_t(1) << 63 | uint64_t(i) << 32 | 0xffffffffu;
    reinterpret_cast<Control*>(bytes)->taken.word = 1;
  }
  BROKKR_FN explicit LinkedRingQueue(const QueueStorage& s) : Base(s) {}

  BROKKR_FN Outcome enqueue(uint32_t thread, uint32_t value) const {
    Control& c = control();
    Outcome outcome = Outcome::done;
    for (;;) {
      const uint64_t tail = hold(thread, c.tail.word);
      const uint32_t last = uint32_t(tail);
      const uint32_t next = load(header(last).next.word);
      if (next != 0) {
        swap_if(c.tail.word, tail, link(next - 1, tail));
        continue;
      }
      if (ring(last).enqueue(value)) break;
      const uint32_t fresh = take_ring();
      if (fresh == 0) {
        outcome = this->outcome_of(0);
        break;
      }
      ring(fresh - 1).enqueue(value);
      if (swap_if(header(last).next.word, 0u, fresh)) {
        swap_if(c.tail.word, tail, link(fresh - 1, tail));
        break;
      }
      store(header(fresh - 1).state.word, kFree);
    }
    let_go(thread);
    return outcome;
  }
  BROKKR_FN Outcome dequeue(uint32_t thread, uint32_t& value) const {
    Control& c = control();
    Outcome outcome = Outcome::done;
    for (;;) {
      const uint64_t head = hold(thread, c.head.word);
      const uint32_t first = uint32_t(head);
      if (ring(first).dequeue(value)) break;
      const uint32_t next = load(header(first).next.word);
      if (next == 0) {
        outcome = Outcome::refused;
        break;
      }
      // The ring is closed, but may have received an element since it looked empty.
      if (ring(first).dequeue(value)) break;
      // The tail must not return to a ring that is reused.
      const uint64_t tail = load(c.tail.word);
      if (uint32_t(tail) == first) swap_if(c.tail.word, tail, link(next - 1, tail));
      uint64_t expected = head;  // in one total order with the names, like the reads of the ends in hold
      if (watched(c.head.word).compare_exchange_strong(expected, link(next - 1, head), kSeqCst)) {
        watched(header(first).state.word).store(kRetired, kSeqCst);
      }
    }
    let_go(thread);
    return outcome;
  }
  BROKKR_FN uint32_t allocated() const { return load(control().taken.word); }

 private:
  // A ring that has left the list is retired; the thread that frees rings searches the names for its candidates.
  static constexpr uint32_t kFree = 0, kUsed = 1, kRetired = 2, kCandidate = 3;

  // Twice the elements, plus per thread the ring that it names after it has left the list, plus half as many that can
  // always be freed: with fewer of these, names would be read more often.
  static constexpr uint32_t rings(const QueueShape& s) {
    return 2 * (s.capacity / s.segment) + 16 + s.threads + s.threads / 2;
  }
  static constexpr size_t cells_offset(const QueueShape& s) {
    return sizeof(Control) + rings(s) * sizeof(RingHeader) + (size_t(s.threads) * sizeof(uint32_t) + 63) / 64 * 64;
  }
  BROKKR_FN Control& control() const { return *this->template at<Control>(0); }
  BROKKR_FN RingHeader& header(uint32_t i) const { return this->template at<RingHeader>(sizeof(Control))[i]; }
  // The ring that a thread works on, plus 1.
  BROKKR_FN uint32_t& held(uint32_t thread) const {
    return this->template at<uint32_t>(sizeof(Control) + rings(s_.shape) * sizeof(RingHeader))[thread];
  }
  BROKKR_FN Ring ring(uint32_t i) const {
    return Ring(header(i), this->template at<uint64_t>(cells_offset(s_.shape)) + size_t(i) * s_.shape.segment,
                s_.shape.segment);
  }

  // Returns the ring at one end of the list and protects it from reuse until this thread releases it.
  BROKKR_FN uint64_t hold(uint32_t thread, uint64_t& end) const {
    for (;;) {
      const uint64_t seen = load(end);
      watched(held(thread)).store(uint32_t(seen) + 1, kSeqCst);
      if (watched(end).load(kSeqCst) == seen) return seen;
    }
  }
  BROKKR_FN void let_go(uint32_t thread) const { store(held(thread), 0u); }
  BROKKR_FN uint32_t& state(uint32_t i) const { return header(i).state.word; }

  // Takes an empty ring; returns its number plus 1, or 0 if there is none or after an abort.
  BROKKR_FN uint32_t take_ring() const {
    const uint32_t count = rings(s_.shape);
    for (int spin = 0;;) {
      for (uint32_t k = 0; k < count; ++k) {
        const uint32_t i = add(control().cursor.word, 1u) % count;
        if (load(state(i)) != kFree || !swap_if(state(i), kFree, kUsed)) continue;
        add(control().taken.word, 1u);
        ring(i).clear();
        return i + 1;
      }
      if (!swap_if(control().collector.word, 0u, 1u)) {
        if (!this->wait(spin)) return 0;
        continue;  // another thread frees rings
      }
      const bool freed = free_rings();
      store(control().collector.word, 0u);
      if (!freed) return 0;
    }
  }
  // Frees the retired rings that no thread names; one thread at a time. Returns false if no ring is free.
  BROKKR_FN bool free_rings() const {
    const uint32_t count = rings(s_.shape);
    for (uint32_t i = 0; i < count; ++i) {
      if (load(state(i)) == kFree) return true;  // another thread has freed some in the meantime
    }
    for (uint32_t i = 0; i < count; ++i) {
      if (watched(state(i)).load(kSeqCst) == kRetired) watched(state(i)).store(kCandidate, kRelaxed);
    }
    for (uint32_t t = 0; t < s_.shape.threads; ++t) {
      const uint32_t named = watched(held(t)).load(kSeqCst);
      if (named == 0 || watched(state(named - 1)).load(kRelaxed) != kCandidate) continue;
      watched(state(named - 1)).store(kRetired, kRelaxed);
    }
    bool freed = false;
    for (uint32_t i = 0; i < count; ++i) {
      if (watched(state(i)).load(kRelaxed) != kCandidate) continue;
      store(state(i), kFree);
      freed = true;
    }
    return freed;
  }
};

BROKKR_MACHINE_END
