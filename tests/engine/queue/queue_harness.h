// Prepares, starts and checks stress plans. The CPU and CUDA tests share it; they differ in the source of memory and in
// the start of workers.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "queue_program.h"

namespace brokkr::queue_test {

// Memory that workers and the host share, zeroed, aligned to 64 bytes.
using Allocate = std::shared_ptr<void> (*)(size_t bytes);
// Runs worker(0) .. worker(workers - 1) at the same time. Returns false if they did not end by themselves and were
// aborted.
template <class P>
using Launch = std::function<bool(const P& plan, int workers)>;

struct StressCase {
  int producers = 2, consumers = 2;
  uint32_t per_producer = 1000;
  int queues = 1;
  uint32_t capacity = 64;
  Put put = Put::uniform;
  Get get = Get::uniform;
  Discipline discipline = Discipline::linearizable;
  uint32_t start = 0;  // start value of the counters
};

inline std::string describe(const StressCase& c) {
  std::ostringstream s;
  s << c.producers << " producers, " << c.consumers << " consumers, " << c.queues << " queues of " << c.capacity
    << ", put " << int(c.put) << ", get " << int(c.get) << ", discipline " << int(c.discipline) << ", from " << c.start;
  return s.str();
}

template <class T>
T* array_of(std::vector<std::shared_ptr<void>>& owner, Allocate allocate, size_t n) {
  owner.push_back(allocate(std::max<size_t>(n, 1) * sizeof(T)));
  return static_cast<T*>(owner.back().get());
}

// Checks that queue q is empty and idle: its control words after `operations` enqueues and as many dequeues.
template <int kWords>
std::string check_empty(const QueueMemory<kWords>& m, int q) {
  std::ostringstream s;
  const QueueControl& c = m.control[q];
  if (c.count != 0) s << "; queue " << q << " counts " << std::hex << c.count << " elements at the end";
  if (c.head != c.tail) s << "; queue " << q << " has head " << c.head << ", tail " << c.tail << " at the end";
  return s.str();
}

template <int kWords>
std::string check_logs(const Plan<kWords>& plan, uint32_t start) {
  std::ostringstream error;
  const uint32_t total = uint32_t(plan.producers) * plan.per_producer;
  std::vector<uint8_t> seen(total, 0);
  for (int c = 0; c < plan.consumers; ++c) {
    const uint32_t* log = plan.log + size_t(c) * total;
    std::vector<int64_t> last(size_t(kMaxProducers) * kMaxQueues, -1);
    for (uint32_t i = 0; i < plan.received[c]; ++i) {
      const uint32_t producer = log[i] >> 26, queue = (log[i] >> 20) & 63u, sequence = log[i] & (kMaxPerProducer - 1);
      if (producer >= uint32_t(plan.producers) || sequence >= plan.per_producer) {
        error << "; unknown element " << log[i];
        continue;
      }
      if (seen[producer * plan.per_producer + sequence]++ != 0) error << "; duplicate " << log[i];
      int64_t& before = last[producer * kMaxQueues + queue];
      if (before >= int64_t(sequence)) {
        error << "; producer " << producer << ": " << sequence << " after " << before;
      }
      before = sequence;
      if (error.tellp() > 500) return error.str();
    }
  }
  const auto lost = std::count(seen.begin(), seen.end(), uint8_t(0));
  if (lost > 0) error << "; lost " << lost << " of " << total;
  uint32_t enqueued = 0;
  for (int q = 0; q < plan.memory.queues; ++q) {
    error << check_empty(plan.memory, q);
    enqueued += plan.memory.control[q].tail - start;
  }
  if (enqueued != total) error << "; " << enqueued << " tickets for " << total << " elements";
  if (*plan.spoiled != 0) error << "; " << *plan.spoiled << " torn or misplaced elements";
  return error.str();
}

// Returns an empty string if all went well.
template <int kWords>
std::string run_stress(const StressCase& c, Allocate allocate, const Launch<Plan<kWords>>& launch) {
  using Memory = QueueMemory<kWords>;
  std::vector<std::shared_ptr<void>> owner;
  const size_t total = size_t(c.producers) * c.per_producer;
  Plan<kWords> plan{};
  plan.memory = Memory::layout(array_of<char>(owner, allocate, Memory::bytes(c.queues, c.capacity)), c.queues,
                               c.capacity, c.discipline, array_of<uint32_t>(owner, allocate, 1));
  if (c.start != 0) plan.memory.reset(c.start);
  plan.producers = c.producers;
  plan.consumers = c.consumers;
  plan.per_producer = c.per_producer;
  plan.put = c.put;
  plan.get = c.get;
  plan.log = array_of<uint32_t>(owner, allocate, total * size_t(c.consumers));
  plan.received = array_of<uint32_t>(owner, allocate, size_t(c.consumers));
  plan.consumed = array_of<uint32_t>(owner, allocate, 1);
  plan.credit = array_of<uint32_t>(owner, allocate, 1);
  plan.spoiled = array_of<uint32_t>(owner, allocate, 1);
  *plan.credit = c.capacity;
  std::string error;
  if (!launch(plan, c.producers + c.consumers)) error = "; hangs, " + std::to_string(*plan.consumed) + " consumed";
  error += check_logs(plan, c.start);
  return error.empty() ? error : describe(c) + error;
}

template <int kWords>
std::string run_recycling(uint32_t slots, int workers, uint32_t rounds, Discipline discipline, uint32_t start,
                          Allocate allocate, const Launch<Recycling<kWords>>& launch) {
  using Memory = QueueMemory<kWords>;
  std::vector<std::shared_ptr<void>> owner;
  Recycling<kWords> plan{};
  plan.memory = Memory::layout(array_of<char>(owner, allocate, Memory::bytes(1, slots)), 1, slots, discipline,
                               array_of<uint32_t>(owner, allocate, 1));
  plan.memory.reset(start);
  // All slots are in the store, as after `slots` enqueues.
  for (uint32_t i = 0; i < slots; ++i) {
    uint32_t* slot = plan.memory.slots + ((start + i) & (slots - 1)) * Memory::kSlotWords;
    slot[0] += 1;
    for (int k = 0; k < kWords; ++k) slot[1 + k] = word_of(i, k);
  }
  plan.memory.control->tail = start + slots;
  plan.memory.control->count = slots;
  plan.rounds = rounds;
  plan.owned = array_of<uint32_t>(owner, allocate, slots);
  plan.spoiled = array_of<uint32_t>(owner, allocate, 1);
  std::ostringstream error;
  if (!launch(plan, workers)) error << "; hangs";
  if (*plan.spoiled != 0) error << "; " << *plan.spoiled << " slots had two owners, or their return was refused";
  if (plan.memory.control->count != slots) {
    error << "; count " << plan.memory.control->count << " at the end, " << slots << " slots";
  }
  std::vector<uint32_t> left(slots, 0);
  for (uint32_t i = 0; i < slots; ++i) {
    const uint32_t id = plan.memory.slots[i * Memory::kSlotWords + 1];
    if (id < slots) ++left[id];
  }
  if (left != std::vector<uint32_t>(slots, 1)) error << "; some slots are lost";
  return error.str();
}

}  // namespace brokkr::queue_test
