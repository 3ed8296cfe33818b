// Softshell's scheduler on one build (softshell_kernel.cpp), as data.
#pragma once

#include <cstdint>

namespace brokkr::softshell_test {

using Launch = void (*)(int workers, void (*work)(void*, int), void* data);

// The result of a program of small tasks.
struct Packed {
  uint32_t calls = 0, tasks = 0;  // calls of execute, and tasks that ran in them
  uint32_t refused = 0;           // tasks that the queue rejected
  uint32_t left_over = 0;         // packages whose memory was not freed
  uint64_t sum = 0;               // sum of the numbers of the tasks that ran
};

struct Programs {
  int width;
  // Sum of 1 .. n by recursive halving (tests/engine/schedule/halving.h), with tasks of one thread and of 32. Returns
  // ~0 if a task was lost or memory was not freed.
  uint64_t (*halving)(uint32_t n, int workers, Launch launch);
  // One worker puts tasks 1 .. n of one thread into a queue of `capacity` packages, `at_once` lanes at a time.
  Packed (*pack)(uint32_t n, int at_once, int workers, uint32_t capacity, Launch launch);
  // Returns the priorities of tasks of 32 threads in the order in which one worker runs them after `passes` passes of a
  // sorter.
  void (*sort)(uint32_t* priority, int n, int passes);
};

}  // namespace brokkr::softshell_test
