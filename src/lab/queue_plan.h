// The work of the queue experiments as data [Kerbl18, 4.6 and appendix A]. Host code writes it, the machines run it
// (lab/queue_workload.h).
#pragma once

#include <cstdint>

#include "lab/queue/queue_shape.h"

namespace brokkr::lab {

// Warps 0 .. warps - 1 of which `lanes` lanes each use the queue, as threads warp * lanes + lane.
struct Crew {
  uint32_t warps = 1, lanes = 1;
};

constexpr uint32_t scramble(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

struct MixCounts {
  uint64_t enqueued, dequeued, full, empty;
  float work;  // the result of the multiply-adds, so that the compiler keeps them
};

// Every thread repeats: it enqueues, then dequeues, each with its chance, and does multiply-adds where it got an
// element.
struct MixPlan {
  QueueStorage queue;
  Crew crew;
  uint32_t least_loops = 10, most_loops = 10;                     // of a thread, drawn
  uint32_t enqueue_chance = 1u << 16, dequeue_chance = 1u << 16;  // of 2^16
  uint32_t multiply_adds = 0;
  uint32_t seed = 1;
  MixCounts* counts = nullptr;  // [warps]
};

// [Kerbl18, Fig. 4.1]: additions to one word, additions to a word of each thread's own, or loads and stores of that.
enum class AtomicAccess : uint32_t { contended, own, plain };
struct AtomicPlan {
  Crew crew;
  uint32_t loops = 1000;
  AtomicAccess access = AtomicAccess::contended;
  uint32_t* words = nullptr;  // [1 + threads] lines of 64 bytes, zeroed
};

// Page rank over queues. Ranks are fixed-point numbers with kRankOne as 1: their sums do not depend on an order. A
// node's item for iteration i exists once all its predecessors have contributed to iteration i; a node without
// predecessors makes its next item itself.
inline constexpr uint64_t kRankOne = uint64_t(1) << 56;
inline constexpr uint64_t kDampingNumerator = 17, kDampingDenominator = 20;
inline constexpr uint32_t kItemNodeBits = 27, kMaxRankIterations = 15;

struct RankPlan {
  QueueStorage queue;
  Crew crew;
  uint32_t fill = 0;  // 1: put each node's first item into the queue, and nothing else
  uint32_t nodes = 0, iterations = 8;
  const uint32_t* first_edge = nullptr;  // [nodes + 1]
  const uint32_t* target = nullptr;      // [edges]
  const uint32_t* in_degree = nullptr;   // [nodes]
  uint64_t* sum = nullptr;               // [iterations][nodes], zeroed
  uint32_t* arrived = nullptr;           // [iterations][nodes], zeroed
  uint32_t* done = nullptr;              // items worked off, zeroed
  uint32_t* refused = nullptr;           // items that found the queue full: the result is void
};

}  // namespace brokkr::lab
