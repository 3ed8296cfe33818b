// The builds of the queue tests' workers, one per instruction set (queue_kernel.cpp).
#pragma once

#include "queue_program.h"

namespace brokkr::queue_test {

template <int kWords>
struct QueueEntries {
  void (*run_script)(const Script<kWords>&);
  void (*run_worker)(const Plan<kWords>&, int worker);
  void (*recycle)(const Recycling<kWords>&, int worker);
};

struct QueueMachine {
  int width;
  QueueEntries<1> entries1;
  QueueEntries<4> entries4;
  QueueEntries<16> entries16;
  // The broker's view of a queue with these counters.
  bool (*observed_full)(QueueControl&, uint32_t capacity);
  bool (*observed_empty)(QueueControl&, uint32_t capacity);

  template <int kWords>
  const QueueEntries<kWords>& entries() const {
    if constexpr (kWords == 1) return entries1;
    if constexpr (kWords == 4) return entries4;
    if constexpr (kWords == 16) return entries16;
  }
};

}  // namespace brokkr::queue_test
