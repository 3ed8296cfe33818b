// All measured queues on one interface (queue/queue_base.h).
#pragma once

#include "queue/baskets_queue.h"
#include "queue/broker_lane_queue.h"
#include "queue/broker_stealing_queue.h"
#include "queue/circular_buffer_queue.h"
#include "queue/dual_mutex_queue.h"
#include "queue/gottlieb_queue.h"
#include "queue/high_throughput_queue.h"
#include "queue/linked_ring_queue.h"
#include "queue/michael_scott_queue.h"
#include "queue/scogland_feng_nonblocking_queue.h"
#include "queue/scogland_feng_queue.h"
#include "queue/shann_queue.h"
#include "queue/tsigas_zhang_queue.h"
#include "queue/wait_free_queue.h"

// BROKKR_EVERY_QUEUE(F): F(kind, Class) for each of them, in the order of QueueKind.
#define BROKKR_EVERY_QUEUE(F)           \
  F(bq, BrokerQueue)                    \
  F(bwd, BrokerWorkDistributor)         \
  F(bsq, BrokerStealingQueue)           \
  F(gq, GottliebQueue)                  \
  F(msq, MichaelScottQueue)             \
  F(dual_mutex, DualMutexQueue)         \
  F(shcq, ShannQueue)                   \
  F(tzq, TsigasZhangQueue)              \
  F(baq, BasketsQueue)                  \
  F(cbq, CircularBufferQueue)           \
  F(htq, HighThroughputQueue)           \
  F(lcrq, LinkedRingQueue)              \
  F(sfq, ScoglandFengQueue)             \
  F(nsfq, ScoglandFengNonblockingQueue) \
  F(wfq, WaitFreeQueue)
