// Histories of short random programs, recorded from interleaved or from real threads.
#pragma once

#include <random>
#include <vector>

#include "linearizability.h"
#include "observed_queues.h"

namespace brokkr::queue_test {

// Bounds for small histories: a queue that must be full at exactly `capacity` elements, or a large one.
struct HistoryCase {
  QueueKind kind;
  QueueShape shape;
  size_t bound;  // for is_linearizable
};

// The smallest size that the kind allows.
inline HistoryCase history_case(QueueKind kind, uint32_t threads) {
  HistoryCase c{kind, {.capacity = 2, .threads = threads, .homes = 1, .segment = 2}, 2};
  switch (kind) {
    case QueueKind::msq:
    case QueueKind::baq:
    case QueueKind::lcrq:
    case QueueKind::wfq:
    case QueueKind::mcq:
      c.shape.capacity = 16;
      c.bound = 0;
      break;
    case QueueKind::cbq:
    case QueueKind::sfq:
      c.shape.capacity = 4;  // every thread may have an element in it
      c.bound = 4;
      break;
    case QueueKind::bsq:
      c.shape.homes = threads;
      c.bound = 0;
      break;
    default: break;
  }
  return c;
}

// The operations of one thread: it alternates between enqueues and dequeues if waiting for room or for an element could
// take forever.
inline std::vector<bool> random_program(QueueKind kind, std::mt19937& random, size_t operations) {
  const bool blocking = queue_traits(kind).here.multi_queue == Claim::no;
  const uint32_t enqueue_of_8 = 2 + uint32_t(random() % 5);
  std::vector<bool> enqueue;
  for (size_t i = 0; i < operations; ++i) {
    enqueue.push_back(blocking ? i % 2 == 0 : random() % 8 < enqueue_of_8);
  }
  if (blocking && operations % 2 == 1) enqueue.pop_back();
  return enqueue;
}

// Runs and records one thread's part. Values encode thread and operation. `now` returns a later moment at every call.
template <class Now>
void run_program(AnyQueue& queue, uint32_t thread, const std::vector<bool>& program, std::vector<Operation>& record,
                 Now&& now) {
  record.clear();
  for (const bool enqueue : program) {
    Operation o{enqueue, false, thread * 100 + uint32_t(record.size()) + 1, now(), 0};
    const Outcome outcome = enqueue ? queue.enqueue(thread, o.value) : queue.dequeue(thread, o.value);
    o.returned = now();
    o.done = outcome == Outcome::done;
    if (outcome == Outcome::aborted) return;
    record.push_back(o);
  }
}

}  // namespace brokkr::queue_test
