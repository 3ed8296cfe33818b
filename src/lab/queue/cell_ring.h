// Cells of the wait-free queue (lab/queue/wait_free_queue.h): an endless array of which a window is in memory.
//
// Segment s lives in place s mod segments; the place's header says which segment that is. A segment makes room for a
// later one once both ends of the queue have left it and no thread names it, or an earlier one, as the first segment
// that the thread may still use. The names of all threads are read twice: a thread that helps another takes over the
// other's name before the other withdraws it, so that a single pass might miss both.
#pragma once

#include "lab/queue/queue_base.h"

BROKKR_MACHINE_BEGIN

struct WaitFreeCell {
  uint32_t value;    // 0: nothing yet; kTop: never; otherwise element + 1
  uint32_t enqueue;  // 0: no request; kTop: never; otherwise thread + 1
  uint32_t dequeue;
};

// State of one thread, on cache lines of its own: the requests that it publishes, and the threads that it helps.
struct alignas(64) WaitFreeThread {
  uint64_t enqueue_state, dequeue_state;  // pending << 63 | position
  uint64_t dequeue_id;
  uint64_t first_used;  // segment + 1; 0: none
  uint32_t enqueue_value;
  // Only the thread itself uses these.
  uint32_t enqueue_peer, dequeue_peer;
  uint64_t enqueue_helped;
};

struct WaitFreeControl {
  LineOf<uint64_t> head, tail;  // positions of the next operations; they begin at 1
};

template <class Observer>
class CellRing : public QueueBase<Observer> {
 protected:
  using Base = QueueBase<Observer>;
  using Base::watched, Base::s_;
  static constexpr uint32_t kTop = 0xffffffffu;

 public:
  static size_t bytes(const QueueShape& s) {
    check_queue_shape(s);
    return cells_offset(s) + size_t(segments(s)) * s.segment * sizeof(WaitFreeCell);
  }
  static void prepare(void* memory, const QueueShape& s) {
    auto* bytes = static_cast<std::byte*>(memory);
    auto* control = reinterpret_cast<WaitFreeControl*>(bytes);
    control->head.word = control->tail.word = 1;
    auto* threads = reinterpret_cast<WaitFreeThread*>(bytes + sizeof(WaitFreeControl));
    for (uint32_t t = 0; t < s.threads; ++t) {
      threads[t].enqueue_peer = threads[t].dequeue_peer = (t + 1) % s.threads;
    }
    auto* headers = reinterpret_cast<uint64_t*>(bytes + headers_offset(s));
    for (uint64_t k = 0; k < segments(s); ++k) headers[k] = 2 * k;
  }

 protected:
  BROKKR_FN explicit CellRing(const QueueStorage& s) : Base(s) {}
  BROKKR_FN WaitFreeControl& control() const { return *this->template at<WaitFreeControl>(0); }
  BROKKR_FN WaitFreeThread& thread(uint32_t t) const {
    return this->template at<WaitFreeThread>(sizeof(WaitFreeControl))[t];
  }
  BROKKR_FN uint64_t positions() const { return uint64_t(segments(s_.shape)) * s_.shape.segment; }
  BROKKR_FN uint64_t segment_of(uint64_t p) const { return p / s_.shape.segment; }

  template <class T>
  BROKKR_FN static T see(T& word) {
    return watched(word).load(kSeqCst);
  }
  template <class T>
  BROKKR_FN static void put(T& word, T value) {
    watched(word).store(value, kSeqCst);
  }
  template <class T>
  BROKKR_FN static bool change(T& word, T expected, T desired) {
    return watched(word).compare_exchange_strong(expected, desired, kSeqCst);
  }
  BROKKR_FN void use_from(uint32_t me, uint64_t p) const { put(thread(me).first_used, segment_of(p) + 1); }
  BROKKR_FN void use_none(uint32_t me) const { put(thread(me).first_used, uint64_t(0)); }

  // The cell at position p, or nullptr while its place belongs to an earlier segment.
  BROKKR_FN WaitFreeCell* find(uint64_t p) const {
    const uint64_t segment = segment_of(p), count = segments(s_.shape);
    uint64_t& header = this->template at<uint64_t>(headers_offset(s_.shape))[segment % count];
    WaitFreeCell* cells =
        this->template at<WaitFreeCell>(cells_offset(s_.shape)) + (segment % count) * s_.shape.segment;
    uint64_t seen = see(header);
    if (seen != 2 * segment) {
      const uint64_t old = segment - count;
      if (seen != 2 * old || !is_over(old) || !change(header, seen, seen + 1)) return nullptr;
      for (uint32_t i = 0; i < s_.shape.segment; ++i) {
        watched(cells[i].value).store(0u, kRelaxed);
        watched(cells[i].enqueue).store(0u, kRelaxed);
        watched(cells[i].dequeue).store(0u, kRelaxed);
      }
      put(header, 2 * segment);
    }
    return cells + (p & (s_.shape.segment - 1));
  }

 private:
  // Enough segments for a full queue, for positions that no operation uses, and for threads that leave late.
  static constexpr uint32_t segments(const QueueShape& s) {
    const uint32_t cells = 4 * s.capacity + 8 * s.threads;
    return cells / s.segment + 16;
  }
  static constexpr size_t headers_offset(const QueueShape& s) {
    return sizeof(WaitFreeControl) + size_t(s.threads) * sizeof(WaitFreeThread);
  }
  static constexpr size_t cells_offset(const QueueShape& s) {
    return headers_offset(s) + (segments(s) * sizeof(uint64_t) + 63) / 64 * 64;
  }
  BROKKR_FN bool is_over(uint64_t segment) const {
    const uint64_t end = (segment + 1) * s_.shape.segment;
    if (see(control().head.word) <= end || see(control().tail.word) <= end) return false;
    for (int look = 0; look < 2; ++look) {
      for (uint32_t t = 0; t < s_.shape.threads; ++t) {
        const uint64_t used = see(thread(t).first_used);
        if (used != 0 && used - 1 <= segment) return false;
      }
    }
    return true;
  }
};

BROKKR_MACHINE_END
