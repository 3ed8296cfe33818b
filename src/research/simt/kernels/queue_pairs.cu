// [Kerbl18, Fig. A.1]: each thread enqueues an element and dequeues one, over and over.
#include "lab/queue/every_queue.h"
#include "simt/queue_pairs.h"

template <class Queue>
static __device__ void pairs(const brokkr::simt::QueuePairs& plan) {
  const Queue queue(plan.queue);
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t done = 0;
  for (uint32_t i = 0; i < plan.pairs; ++i) {
    uint32_t value = 0;
    done += queue.enqueue(thread, i) == brokkr::Outcome::done ? 1u : 0u;
    done += queue.dequeue(thread, value) == brokkr::Outcome::done ? 1u : 0u;
  }
  plan.done[thread] = done;
}

#define QUEUE_PAIRS(name, Class)                                                                   \
  extern "C" __global__ void pairs_##name(const __grid_constant__ brokkr::simt::QueuePairs plan) { \
    pairs<brokkr::Class<>>(plan);                                                                  \
  }
QUEUE_PAIRS(BQ, BrokerQueue)
QUEUE_PAIRS(MSQ, MichaelScottQueue)
QUEUE_PAIRS(LCRQ, LinkedRingQueue)
QUEUE_PAIRS(WFQ, WaitFreeQueue)
QUEUE_PAIRS(BIQ, BrokerIndexQueue)
QUEUE_PAIRS(MCQ, ProducerQueue)
