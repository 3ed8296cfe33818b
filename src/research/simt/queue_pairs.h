// The plan of the kernels in simt/kernels/queue_pairs.cu.
#pragma once

#include <cstdint>

#include "lab/queue/queue_shape.h"

namespace brokkr::simt {

struct QueuePairs {
  QueueStorage queue;
  uint32_t pairs = 0;        // pairs of each thread
  uint32_t* done = nullptr;  // [threads]: operations that moved an element
};

}  // namespace brokkr::simt
