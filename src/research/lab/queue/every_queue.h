// All measured queues behind one interface (lab/queue/queue_base.h).
#pragma once

#include "lab/queue/broker_queues.h"
#include "lab/queue/linked_queues.h"
#include "lab/queue/linked_ring_queue.h"
#include "lab/queue/slot_queues.h"
#include "lab/queue/ticket_queues.h"
#include "lab/queue/wait_free_queue.h"

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
