// WFQ: the queue of [Yang16].
//
// Fast path: fetch-and-add gives a position, compare-and-swap puts the element into its cell or takes it out. After
// some failures an operation requests help: it publishes a request, and every passing dequeuer helps its peers'
// requests before it invalidates its own cell. The protocols write one word before they read another, so all accesses
// are sequentially consistent.
//
// The infinite array is a window of fixed size (CellRing), which is the only deviation from the paper. If a position
// has no memory yet, an enqueue tries another one or is refused, and a dequeue waits or, if it requested help, starts
// again: a bounded window is not wait-free. Dequeuers far ahead of the tail return "empty" before they use up further
// positions.
#pragma once

#include "lab/queue/queue_base.h"

BROKKR_MACHINE_BEGIN

// Cells of the wait-free queue: an infinite array with a window of it in memory.
//
// Segment s is stored in place s mod segments; the place's header says which segment it holds. A later segment replaces
// it once both ends of the queue have left it, and no thread names it or an earlier one as the first segment that the
// thread may still use. The names of all threads are read twice: a helping thread takes over the other's name before
// the other withdraws it, so a single pass could miss both. As in the original, one thread at a time reads them, for
// all segments at once; the result is recorded, so the next reading happens when the window has been used up again. The
// window has at least eight cells per thread, so that each operation costs a quarter of a read on average.

struct WaitFreeCell {
  uint32_t value;    // 0: nothing yet; kTop: never; otherwise element + 1
  uint32_t enqueue;  // 0: no request; kTop: never; otherwise thread + 1
  uint32_t dequeue;
};

// The state of one thread, on its own cache lines: the requests that it publishes, and the threads that it helps.
struct alignas(64) WaitFreeThread {
  uint64_t enqueue_state, dequeue_state;  // pending << 63 | position
  uint64_t dequeue_id;
  uint64_t first_used;  // segment + 1; 0: none
  uint32_t enqueue_value;
  // Used only by the thread itself.
  uint32_t enqueue_peer, dequeue_peer;
  uint64_t enqueue_helped;
};

struct WaitFreeControl {
  LineOf<uint64_t> head, tail;  // positions of the next operations; they start at 1
  LineOf<uint64_t> first_used;  // all segments before this one are finished
  LineOf<uint32_t> collector;   // 1: a thread is finding finished segments
};

template <class Observer>
class CellRing : public QueueBase<Observer, true> {
 protected:
  using Base = QueueBase<Observer, true>;
  using Base::load, Base::store, Base::swap_if, Base::watched, Base::s_;
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

  BROKKR_FN void use_from(uint32_t me, uint64_t p) const { store(thread(me).first_used, segment_of(p) + 1); }
  BROKKR_FN void use_none(uint32_t me) const { store(thread(me).first_used, uint64_t(0)); }

  // The cell at position p, or nullptr while its place holds an earlier segment.
  BROKKR_FN WaitFreeCell* find(uint64_t p) const {
    const uint64_t segment = segment_of(p), count = segments(s_.shape);
    uint64_t& header = this->template at<uint64_t>(headers_offset(s_.shape))[segment % count];
    WaitFreeCell* cells =
        this->template at<WaitFreeCell>(cells_offset(s_.shape)) + (segment % count) * s_.shape.segment;
    uint64_t seen = load(header);
    if (seen != 2 * segment) {
      const uint64_t old = segment - count;
      if (seen != 2 * old || !is_over(old) || !swap_if(header, seen, seen + 1)) return nullptr;
      for (uint32_t i = 0; i < s_.shape.segment; ++i) {
        watched(cells[i].value).store(0u, kRelaxed);
        watched(cells[i].enqueue).store(0u, kRelaxed);
        watched(cells[i].dequeue).store(0u, kRelaxed);
      }
      store(header, 2 * segment);
    }
    return cells + (p & (s_.shape.segment - 1));
  }

 private:
  // Enough segments for a full queue, for wasted positions, and for threads that leave late.
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
  // Returns true if no thread can use the segment any more, and false while another thread is determining that.
  BROKKR_FN bool is_over(uint64_t segment) const {
    WaitFreeControl& c = control();
    if (load(c.first_used.word) > segment) return true;
    if (!has_passed(load(c.head.word), segment) || !has_passed(load(c.tail.word), segment)) return false;
    if (!swap_if(c.collector.word, 0u, 1u)) return false;
    const uint64_t head = segment_of(load(c.head.word) - 1), tail = segment_of(load(c.tail.word) - 1);
    uint64_t first = head < tail ? head : tail;
    for (int look = 0; look < 2; ++look) {
      for (uint32_t t = 0; t < s_.shape.threads; ++t) {
        const uint64_t used = load(thread(t).first_used);
        if (used != 0 && used - 1 < first) first = used - 1;
      }
    }
    if (first > load(c.first_used.word)) store(c.first_used.word, first);
    store(c.collector.word, 0u);
    return first > segment;
  }
  BROKKR_FN bool has_passed(uint64_t position, uint64_t segment) const {
    return position > (segment + 1) * s_.shape.segment;
  }
};

template <class Observer = Unobserved>
class WaitFreeQueue : public CellRing<Observer> {
  using Base = CellRing<Observer>;
  using Base::load, Base::store, Base::swap_if, Base::add, Base::watched, Base::control, Base::thread, Base::find,
      Base::kTop, Base::s_;
  using Cell = WaitFreeCell;

 public:
  BROKKR_FN explicit WaitFreeQueue(const QueueStorage& s) : Base(s) {}

  BROKKR_FN Outcome enqueue(uint32_t me, uint32_t value) const {
    uint64_t& tail = control().tail.word;
    if (ahead(load(tail), load(control().head.word)) >= int64_t(this->positions() / 2)) return Outcome::refused;
    this->use_from(me, load(tail));
    Outcome outcome = Outcome::refused;
    uint64_t first = 0;
    for (int tries = 0; tries < kPatience && outcome != Outcome::done; ++tries) {
      const uint64_t i = add(tail, 1);
      this->use_from(me, i);
      Cell* c = find(i);
      first = c == nullptr ? 0 : i;
      if (c != nullptr && swap_if(c->value, 0u, value + 1)) outcome = Outcome::done;
    }
    if (outcome != Outcome::done && first != 0) outcome = enqueue_slowly(me, value, first);
    this->use_none(me);
    return outcome;
  }
  BROKKR_FN Outcome dequeue(uint32_t me, uint32_t& value) const {
    for (;;) {
      bool again = false;
      const Outcome outcome = try_dequeue(me, value, again);
      if (!again) return outcome;
    }
  }
  // The number of segments that positions have reached.
  BROKKR_FN uint32_t allocated() const {
    const uint64_t h = load(control().head.word), t = load(control().tail.word);
    return uint32_t(this->segment_of(h > t ? h : t)) + 1;
  }

 private:
  static constexpr int kPatience = 10;
  static constexpr uint64_t kPending = uint64_t(1) << 63;

  BROKKR_FN static int64_t ahead(uint64_t a, uint64_t b) { return int64_t(a - b); }
  BROKKR_FN static bool is_pending(uint64_t state) { return (state & kPending) != 0; }
  BROKKR_FN static uint64_t position(uint64_t state) { return state & ~kPending; }
  // Returns nullptr after an abort.
  BROKKR_FN Cell* await(uint64_t p) const {
    for (int spin = 0;;) {
      if (Cell* c = find(p)) return c;
      if (!this->wait(spin)) return nullptr;
    }
  }
  // Makes the end count position p as used, so that a later read of it sees the operation at p.
  BROKKR_FN static void move_end(uint64_t& end, uint64_t p) {
    for (uint64_t e = load(end); e <= p && !swap_if(end, e, p + 1); e = load(end)) {
    }
  }
  // Assigns position p to the request published for position `id` or later. Returns false if it already has one.
  BROKKR_FN static bool claim(uint64_t& state, uint64_t id, uint64_t p) { return swap_if(state, kPending | id, p); }
  BROKKR_FN void commit(Cell& c, uint32_t element, uint64_t p) const {
    move_end(control().tail.word, p);
    store(c.value, element);
  }

  BROKKR_FN Outcome enqueue_slowly(uint32_t me, uint32_t value, uint64_t id) const {
    WaitFreeThread& mine = thread(me);
    store(mine.enqueue_value, value + 1);
    store(mine.enqueue_state, kPending | id);
    for (int spin = 0; is_pending(load(mine.enqueue_state));) {
      const uint64_t i = add(control().tail.word, 1);
      Cell* c = find(i);
      if (c == nullptr) {
        if (!this->wait(spin)) return Outcome::aborted;
        continue;
      }
      if (swap_if(c->enqueue, 0u, me + 1) && load(c->value) == 0) {
        claim(mine.enqueue_state, id, i);
        break;
      }
    }
    const uint64_t at = position(load(mine.enqueue_state));
    Cell* c = await(at);
    if (c == nullptr) return Outcome::aborted;
    commit(*c, value + 1, at);
    return Outcome::done;
  }

  // Returns the element + 1 of the cell at p, if it has one or gets one from a request. kTop: the cell will never have
  // one. 0: no later cell has one either, because the queue was empty.
  BROKKR_FN uint32_t help_enqueue(uint32_t me, Cell& c, uint64_t p) const {
    if (!swap_if(c.value, 0u, kTop)) {
      const uint32_t content = load(c.value);
      if (content != kTop) return content;
    }
    uint64_t& tail = control().tail.word;
    WaitFreeThread& mine = thread(me);
    if (load(c.enqueue) == 0) {
      uint64_t s;
      for (;;) {
        s = load(thread(mine.enqueue_peer).enqueue_state);
        if (mine.enqueue_helped == 0 || mine.enqueue_helped == position(s)) break;
        mine.enqueue_helped = 0;  // that request is complete: continues with the next thread's
        mine.enqueue_peer = (mine.enqueue_peer + 1) % s_.shape.threads;
      }
      if (is_pending(s) && position(s) <= p && !swap_if(c.enqueue, 0u, mine.enqueue_peer + 1)) {
        mine.enqueue_helped = position(s);  // another request got this cell: tries again at the next one
      } else {
        mine.enqueue_helped = 0;
        mine.enqueue_peer = (mine.enqueue_peer + 1) % s_.shape.threads;
      }
      swap_if(c.enqueue, 0u, kTop);
    }
    const uint32_t request = load(c.enqueue);
    if (request == kTop) return load(tail) <= p ? 0 : kTop;
    WaitFreeThread& theirs = thread(request - 1);
    const uint64_t s = load(theirs.enqueue_state);
    const uint32_t element = load(theirs.enqueue_value);
    if (position(s) > p) {
      if (load(c.value) == kTop && load(tail) <= p) return 0;  // a later request of that thread
    } else if (is_pending(s) && claim(theirs.enqueue_state, position(s), p)) {
      commit(c, element, p);
    } else if (load(theirs.enqueue_state) == p) {
      // The request was assigned this cell, perhaps since the read above. While the cell is unassigned, the request is
      // unchanged.
      const uint32_t now = load(theirs.enqueue_value);
      if (load(c.value) == kTop) commit(c, now, p);
    }
    return load(c.value);
  }

  BROKKR_FN Outcome try_dequeue(uint32_t me, uint32_t& value, bool& again) const {
    uint64_t& head = control().head.word;
    const uint64_t h = load(head);
    if (ahead(h, load(control().tail.word)) >= int64_t(this->positions() / 4)) return Outcome::refused;
    this->use_from(me, h);
    uint32_t got = kTop;
    uint64_t first = 0;
    for (int tries = 0; tries < kPatience && got == kTop; ++tries) {
      first = add(head, 1);
      this->use_from(me, first);
      Cell* c = await(first);
      if (c == nullptr) return Outcome::aborted;
      const uint32_t content = help_enqueue(me, *c, first);
      if (content == 0 || (content != kTop && swap_if(c->dequeue, 0u, kTop))) got = content;
    }
    if (got == kTop) got = dequeue_slowly(me, first, again);
    if (got != 0 && got != kTop) {
      help_dequeue(me, thread(me).dequeue_peer);
      thread(me).dequeue_peer = (thread(me).dequeue_peer + 1) % s_.shape.threads;
    }
    this->use_none(me);
    if (again || got == kTop) return Outcome::aborted;
    value = got - 1;
    return got == 0 ? Outcome::refused : Outcome::done;
  }
  // Like help_enqueue. kTop: aborted, or `again` is set because the request was withdrawn.
  BROKKR_FN uint32_t dequeue_slowly(uint32_t me, uint64_t id, bool& again) const {
    WaitFreeThread& mine = thread(me);
    store(mine.dequeue_id, id);
    store(mine.dequeue_state, kPending | id);
    if (!help_dequeue(me, me)) return kTop;
    const uint64_t at = position(load(mine.dequeue_state));
    if (at == id) {
      again = true;
      return kTop;
    }
    Cell* c = await(at);
    if (c == nullptr) return kTop;
    const uint32_t content = load(c->value);
    move_end(control().head.word, at);
    return content == kTop ? 0 : content;
  }

  // Helps until the request of thread `peer` has a cell, or a cell that means "empty". Returns false after an abort.
  BROKKR_FN bool help_dequeue(uint32_t me, uint32_t peer) const {
    WaitFreeThread& theirs = thread(peer);
    uint64_t s = load(theirs.dequeue_state);
    const uint64_t id = load(theirs.dequeue_id);
    if (!is_pending(s) || position(s) < id) return true;
    if (me != peer) {
      this->use_from(me, id);
      s = load(theirs.dequeue_state);
      if (!is_pending(s) || load(theirs.dequeue_id) != id || position(s) < id) return true;
    }
    uint64_t prior = id, i = id, candidate = 0;
    for (;;) {
      // Find a candidate cell for the request.
      while (candidate == 0 && position(s) == prior) {
        if (!is_pending(s) || load(theirs.dequeue_id) != id) return true;
        Cell* c = find(i + 1);
        if (c != nullptr) {
          const uint32_t content = help_enqueue(me, *c, ++i);
          if (content == 0 || (content != kTop && load(c->dequeue) == 0)) candidate = i;
        } else if (this->aborted()) {
          return false;
        } else {
          // The request itself may block the window if it was published late, when all cells that the window holds from
          // its position on were used up. Withdraw it, and start again.
          Observer::pause(64);
          swap_if(theirs.dequeue_state, kPending | prior, id);
        }
        if (candidate == 0) s = load(theirs.dequeue_state);
      }
      if (candidate != 0) {
        swap_if(theirs.dequeue_state, kPending | prior, kPending | candidate);
        s = load(theirs.dequeue_state);
      }
      if (!is_pending(s) || load(theirs.dequeue_id) != id) return true;
      Cell* c = await(position(s));
      if (c == nullptr) return false;
      if (load(c->value) == kTop || swap_if(c->dequeue, 0u, peer + 1) || load(c->dequeue) == peer + 1) {
        swap_if(theirs.dequeue_state, s, position(s));
        return true;
      }
      prior = position(s);
      if (prior >= i) {
        candidate = 0;
        i = prior;
      }
    }
  }
};

BROKKR_MACHINE_END
