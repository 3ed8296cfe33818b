// Size and storage of the measured queues (lab/queue/queue_base.h), as host and device see them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lab/queue/traits.h"

namespace brokkr {

enum class Outcome : uint32_t { done, refused, aborted };

inline constexpr uint32_t kMaxQueueValue = 0x7ffffffdu;

struct QueueShape {
  uint32_t capacity = 1024;  // minimum number of elements that fit, a power of two, 2 .. 2^26
  uint32_t threads = 1;      // users of the queue, 1 .. 2^20
  uint32_t homes = 1;        // BSQ: queues to steal from; thread i's home is i / (threads / homes)
  uint32_t segment = 256;    // LCRQ, WFQ: slots per ring or segment, a power of two, 2 .. 2^16
};

struct QueueStorage {
  std::byte* memory = nullptr;  // prepared
  uint32_t* abort = nullptr;    // not 0: every wait ends; nullptr: never
  QueueShape shape;
};

// Throws std::invalid_argument for an invalid shape.
void check_queue_shape(const QueueShape& shape);

}  // namespace brokkr
