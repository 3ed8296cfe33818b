// The work of queue tests as data: scripts for one warp, and stress plans for many. The host writes and checks them,
// and machines run them (queue_workers.h).
#pragma once

#include <cstdint>

#include "queue/queue_memory.h"

namespace brokkr::queue_test {

// An element's first word is its id, and all other words follow from it, so that a torn element is detected.
template <class U>
constexpr U word_of(U id, int k) {
  return k == 0 ? id : id * U(0x9e3779b1u) + U(uint32_t(k) * 0x85ebca6bu);
}

// ---- Scripts.

enum class Op : uint32_t { enqueue, dequeue, enqueue_lanes, dequeue_lanes, scatter, dequeue_all, size };

struct Step {
  Op op;
  int32_t queue;   // scatter: lane i goes to (queue + i * n) mod queues
  int32_t n;       // elements
  uint32_t lanes;  // lanes that enqueue
  uint32_t id;     // lane i enqueues id + i
};

struct Result {
  uint32_t value;   // the operation's return value: truth, lanes, or a number of elements
  uint32_t torn;    // elements that changed on the way
  uint32_t id[32];  // ids of the dequeued elements
};

template <int kWords>
struct Script {
  QueueMemory<kWords> memory;
  const Step* step;
  Result* result;
  int32_t steps;
};

// ---- Stress.

enum class Put : uint32_t { uniform, lanes, scatter };
enum class Get : uint32_t { uniform, lanes, all, mixed };

// Ids of a plan: producer << 26 | queue << 20 | sequence number within the producer.
constexpr int kMaxProducers = 64, kMaxQueues = 64;
constexpr uint32_t kMaxPerProducer = 1u << 20;

template <int kWords>
struct Plan {
  QueueMemory<kWords> memory;  // queues: a power of two
  int32_t producers, consumers;
  uint32_t per_producer;
  Put put;
  Get get;
  uint32_t* log;       // [consumers][producers * per_producer]: ids in the order of their arrival
  uint32_t* received;  // [consumers]
  uint32_t* consumed;  // by all consumers
  uint32_t* credit;    // scatter: remaining room for elements on their way
  uint32_t* spoiled;   // torn elements, and those of another queue
};

// Slots of a store that warps take (all or none) and return: the ids 0 .. slots - 1 circulate in queue 0.
template <int kWords>
struct Recycling {
  QueueMemory<kWords> memory;
  uint32_t rounds;    // per worker
  uint32_t* owned;    // [slots]: 1 while a worker owns it
  uint32_t* spoiled;  // double owners, refused returns, broken claims
};

}  // namespace brokkr::queue_test
