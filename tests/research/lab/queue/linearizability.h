// True if a history of queue operations could have happened one after another [Herlihy90].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace brokkr::queue_test {

struct Operation {
  bool enqueue;
  bool done;                  // false: refused, the queue was full or empty
  uint32_t value;             // the enqueued or dequeued value
  uint64_t called, returned;  // moments; all different
};

// Looks for an order in which each operation takes effect between its call and its return and a queue of `capacity` (0:
// unbounded) answers as recorded. The search is that of [Wing93] with the memory of visited states of [Lowe17]. It
// takes up to 64 operations, which must all have returned.
bool is_linearizable(const std::vector<Operation>& history, size_t capacity);

// One operation a line, for messages.
std::string describe(std::vector<Operation> history);

}  // namespace brokkr::queue_test
