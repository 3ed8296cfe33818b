// The static memory of an array of broker queues, as host and device see it. It consists of plain pointers and can be
// copied and passed to kernels. The operations are in BrokerQueues (queue/broker_queue.h).
//
// A queue is a ring of `capacity` slots (ticket, element) and three control words. Each control word has its own cache
// line, so that enqueuers, dequeuers and the broker do not disturb each other. This costs 192 bytes per queue (768 KiB
// for 4096 queues), which is little compared with the slots if the capacity is above 16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace brokkr {

//   linearizable  the broker queue [Kerbl18, Alg. 1]: "full" and "empty" are answered only once they can be
//                 observed, at the price of a wait for operations under way
//   distributor   the broker work distributor [Kerbl18, 4.5.1]: the broker's first answer is taken at face
//                 value; "full" and "empty" may be wrong for a moment, and no operation waits before it is refused
enum class Discipline : uint32_t { linearizable, distributor };

struct QueueControl {
  alignas(64) uint32_t count;  // the broker's count (queue/broker_queue.h)
  alignas(64) uint32_t tail;   // ticket of the next enqueue, modulo 2^32
  alignas(64) uint32_t head;   // ticket of the next dequeue, modulo 2^32
};

// kWords: size of an element, 1 .. 16 words of 32 bits.
template <int kWords>
struct QueueMemory {
  static_assert(kWords >= 1 && kWords <= 16);
  // Ticket and element lie together, so that one cache line often holds both.
  static constexpr int kSlotWords = 1 + kWords;
  static constexpr uint32_t kMaxCapacity = 1u << 28;

  QueueControl* control = nullptr;  // [queues]
  uint32_t* slots = nullptr;        // [queues][capacity][kSlotWords]
  uint32_t* abort = nullptr;        // not 0: every wait ends; nullptr: waits never end early
  uint32_t capacity = 0;            // per queue, a power of two, 2 .. kMaxCapacity
  int queues = 0;
  Discipline discipline = Discipline::distributor;

  // The size of the memory. Throws std::invalid_argument for sizes that a queue cannot have.
  static size_t bytes(int queues, uint32_t capacity) {
    if (queues < 1 || capacity < 2 || capacity > kMaxCapacity || (capacity & (capacity - 1)) != 0) {
      throw std::invalid_argument("queue memory: " + std::to_string(queues) + " queues of " + std::to_string(capacity) +
                                  " elements: needs one queue or more, and a power of two in 2 .. 2^28");
    }
    return size_t(queues) * (sizeof(QueueControl) + size_t(capacity) * kSlotWords * sizeof(uint32_t));
  }

  // Returns a view of bytes(queues, capacity) at `memory`, which is aligned to 64 bytes and may be on the device. All
  // queues are empty after that memory was zeroed (memset, cudaMemset) or reset; this function does neither.
  static QueueMemory layout(void* memory, int queues, uint32_t capacity,
                            Discipline discipline = Discipline::distributor, uint32_t* abort = nullptr) {
    bytes(queues, capacity);
    if (memory == nullptr || reinterpret_cast<uintptr_t>(memory) % alignof(QueueControl) != 0) {
      throw std::invalid_argument("queue memory: needs an address aligned to 64 bytes");
    }
    QueueMemory m;
    m.control = static_cast<QueueControl*>(memory);
    m.slots = reinterpret_cast<uint32_t*>(m.control + queues);
    m.abort = abort;
    m.capacity = capacity;
    m.queues = queues;
    m.discipline = discipline;
    return m;
  }

  // Only for host memory, and while nobody uses the queues. Makes all queues empty; counters and tickets have the
  // values that `start` enqueues and dequeues leave. reset(0) is the same as zeroed memory. With another value, tests
  // can begin just below 2^32.
  void reset(uint32_t start = 0) const {
    for (int q = 0; q < queues; ++q) {
      control[q].count = 0;
      control[q].tail = control[q].head = start;
      for (uint32_t i = 0; i < capacity; ++i) {
        const uint32_t ticket = start + i;
        uint32_t* slot = slots + (size_t(q) * capacity + (ticket & (capacity - 1))) * kSlotWords;
        std::memset(slot, 0, kSlotWords * sizeof(uint32_t));
        slot[0] = ticket & ~(capacity - 1);
      }
    }
  }
};

}  // namespace brokkr
