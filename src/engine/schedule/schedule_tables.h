// Data of scheduling: counters that all blocks share, and tables.
#pragma once

#include <cstddef>
#include <cstdint>

#include "brokkr/choices.h"
#include "machine/table_pointer.h"
#include "queue/queue_memory.h"

namespace brokkr {

// What the host asks for while the kernel runs.
enum AbortLevel : uint32_t {
  kAbortNot,
  kAbortFinish,  // take no more tasks, and finish what is queued
  kAbortLeave,   // leave as soon as possible
};

// What blocks read of it.
struct AbortWords {
  uint32_t level;  // AbortLevel
  uint32_t leave;  // not 0: kAbortLeave. What is queued is finished below that, so that waits of queues go on
};

// The children between which a policy decides: a bucket's numbers of them, and the places of their quotas and times.
enum StageChild : int { kGeometryChild, kRasterChild, kStageChildren };

struct ScheduleControl {
  alignas(64) uint32_t next_task;  // first task that nobody has taken
  alignas(64) uint32_t watermark;  // first task that is not complete
  alignas(64) uint32_t completed;  // tasks, where they are counted
  alignas(64) uint32_t finished;   // rasterizers that are done with the frame
  // fair: the time that each child has had, ns, then the quotas (FairShare's words).
  alignas(64) uint64_t share[2 * kStageChildren];
};

// The stocks of free blocks of the triangle store (schedule/stock.h).
struct StockTables {
  QueueMemory<1> free_blocks;  // what nobody has in stock
  uint32_t capacity;           // of a stock, kStockCapacity at most
  uint32_t keep;               // most that a stock keeps from one action of its block to the next
};

// A bit for each rasterizer (schedule/rasterizer_bits.h).
struct RasterizerBitTables {
  TablePointer<uint32_t> claimed, filled;

  static constexpr size_t words(size_t rasterizers) { return (rasterizers + 31) / 32; }
};

struct ScheduleTables {
  TablePointer<ScheduleControl> control;
  TablePointer<uint32_t> abort;  // AbortLevel
  // Nothing waits for a part of the tasks, so that they are counted: the watermark is 0 until all are complete.
  bool counted;
  TablePointer<uint32_t> task_done;  // else: ring of window entries: task + 1 once it is complete
  uint32_t window;                   // power of two: tasks that may be under way beyond the watermark
  uint32_t tasks;                    // a task is task_batches consecutive batches
  uint32_t task_batches;
  uint32_t batches;
  uint32_t rasterizers;
  uint32_t blocks_per_task;        // most triangle blocks that a task can fill
  uint32_t quota[kStageChildren];  // fair: in any unit
  Policy policy;
  bool stealing;
  // Policies with ranks (plan/launch_plan.h), else null.
  TablePointer<const uint32_t> ranks;       // of each rasterizer
  TablePointer<const uint32_t> task_order;  // the task of each turn; null: in order
};

}  // namespace brokkr
