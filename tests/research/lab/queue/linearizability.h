// True if a history of queue operations could have happened one after another [Herlihy90].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace brokkr::queue_test {

struct Operation {
  bool enqueue;
  bool done;                  // false: refused, the queue was full or empty
  uint32_t value;             // put or got
  uint64_t called, returned;  // moments; all different
};

// Looks for an order in which each operation takes effect between its call and its return and a queue of `capacity` (0:
// without bound) answers as recorded: the search of [Wing93], which remembers where it has been [Lowe17]. Up to 64
// operations; all have returned.
bool is_linearizable(const std::vector<Operation>& history, size_t capacity);

// One operation a line, for messages.
std::string describe(std::vector<Operation> history);

}  // namespace brokkr::queue_test
