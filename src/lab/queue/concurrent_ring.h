// CRQ: one ring of the linked concurrent ring queue (lab/queue/linked_ring_queue.h). [Morrison13].
//
// Fetch-and-add gives an operation its position; a cell (safe, position, element) is changed by compare-and-swap from
// what that position expects, and given up for the next position where another operation was faster. A ring that is
// full, or whose enqueuers starve, is closed for ever. The original's cells have 128 bits; here position and element
// have 31 and 32, so that a ring is closed before its positions end.
#pragma once

#include "lab/queue/queue_base.h"

BROKKR_MACHINE_BEGIN

struct RingHeader {
  LineOf<uint32_t> head, tail;  // positions; the tail's highest bit: closed
  LineOf<uint32_t> next;        // ring + 1, 0: none
  LineOf<uint32_t> state;       // kRingFree ...
};

template <class Observer>
class ConcurrentRing : SharedWords<Observer> {
  using Words = SharedWords<Observer>;
  using Words::load, Words::swap_if, Words::watched;

 public:
  enum class Take : uint32_t { done, empty };
  static constexpr uint32_t kClosed = 1u << 31;
  static constexpr uint32_t kLastPosition = 1u << 30;

  BROKKR_FN ConcurrentRing(RingHeader& header, uint64_t* cells, uint32_t size)
      : h_(header), cells_(cells), size_(size) {}

  // While nobody else uses the ring: empty.
  BROKKR_FN void clear() const {
    for (uint32_t i = 0; i < size_; ++i) watched(cells_[i]).store(cell_of(true, i, kVacant), kRelaxed);
    watched(h_.head.word).store(0u, kRelaxed);
    watched(h_.tail.word).store(0u, kRelaxed);
    watched(h_.next.word).store(0u, kRelease);
  }
  // False: the ring is closed.
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
  BROKKR_FN Take dequeue(uint32_t& value) const {
    for (;;) {
      // The ring is empty and its positions have almost ended: use none of them up in vain.
      if (load(h_.head.word) >= kLastPosition && load(h_.head.word) >= (load(h_.tail.word) & ~kClosed)) {
        return Take::empty;
      }
      const uint32_t h = watched(h_.head.word).fetch_add(1u, kAcqRel);
      uint64_t& cell = cells_[h & (size_ - 1)];
      for (;;) {
        const uint64_t seen = load(cell);
        if (position(seen) > h) break;
        if (element(seen) == kVacant) {
          // No enqueue h or earlier may use this cell any more.
          if (swap_if(cell, seen, cell_of(is_safe(seen), h + size_, kVacant))) break;
        } else if (position(seen) == h) {
          if (swap_if(cell, seen, cell_of(is_safe(seen), h + size_, kVacant))) {
            value = element(seen);
            return Take::done;
          }
        } else if (swap_if(cell, seen, cell_of(false, position(seen), element(seen)))) {
          break;  // an earlier element is still here: enqueue h must not trust this cell
        }
      }
      if ((load(h_.tail.word) & ~kClosed) <= h + 1) {
        fix_state();
        return Take::empty;
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

  // Dequeuers have passed the tail: it follows them.
  BROKKR_FN void fix_state() const {
    for (;;) {
      const uint32_t t = load(h_.tail.word);
      const uint32_t h = load(h_.head.word);
      if (load(h_.tail.word) != t) continue;
      if (h <= t || swap_if(h_.tail.word, t, h)) return;  // a closed tail is beyond any head
    }
  }
};

BROKKR_MACHINE_END
