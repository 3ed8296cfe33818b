// Scheduling data: counters that all blocks share, and tables.
#pragma once

#include <cstddef>
#include <cstdint>

#include "brokkr/choices.h"
#include "machine/table_pointer.h"
#include "queue/queue_memory.h"

namespace brokkr {

// Requests of the host to the running kernel.
enum AbortLevel : uint32_t {
  kAbortNot,
  kAbortFinish,  // take no more tasks, and finish queued work
  kAbortLeave,   // leave as soon as possible
};

// The request as blocks read it.
struct AbortWords {
  uint32_t level;  // AbortLevel
  uint32_t leave;  // not 0 for kAbortLeave only: with kAbortFinish, waits inside queues must continue
};

// The children that a policy chooses between: their numbers within a bucket, and the indices of their quotas and times.
enum StageChild : int { kGeometryChild, kRasterChild, kStageChildren };

struct ScheduleControl {
  alignas(64) uint32_t next_task;  // the first task that no block has taken
  alignas(64) uint32_t watermark;  // the first task that is not complete
  alignas(64) uint32_t completed;  // number of complete tasks, if they are counted
  alignas(64) uint32_t finished;   // number of rasterizers that have finished the frame
  // Policy fair: the time used by each child in ns, followed by the quotas (FairShare's words).
  alignas(64) uint64_t share[2 * kStageChildren];
};

// Stocks of free blocks of the triangle store (schedule/stock.h).
struct StockTables {
  QueueMemory<1> free_blocks;  // free blocks that are in no stock
  uint32_t capacity;           // per stock, at most kStockCapacity
  uint32_t keep;               // the most that a stock keeps between two actions of its block
};

// One bit per rasterizer (schedule/rasterizer_bits.h).
struct RasterizerBitTables {
  TablePointer<uint32_t> claimed, filled;

  static constexpr size_t words(size_t rasterizers) { return (rasterizers + 31) / 32; }
};

struct ScheduleTables {
  TablePointer<ScheduleControl> control;
  TablePointer<uint32_t> abort;  // AbortLevel
  // Nothing waits for only some of the tasks, so they are just counted, and the watermark is 0 until all are complete.
  bool counted;
  TablePointer<uint32_t> task_done;  // if not counted: ring of `window` entries, task + 1 for each complete task
  uint32_t window;                   // power of two: tasks that may be in progress beyond the watermark
  uint32_t tasks;                    // a task is task_batches consecutive batches
  uint32_t task_batches;
  uint32_t batches;
  uint32_t rasterizers;
  uint32_t blocks_per_task;        // upper bound on the triangle blocks that a task fills
  uint32_t quota[kStageChildren];  // policy fair, in any unit
  Policy policy;
  bool stealing;
  // For policies with ranks (plan/launch_plan.h), otherwise null.
  TablePointer<const uint32_t> ranks;       // per rasterizer
  TablePointer<const uint32_t> task_order;  // the task of each turn; null: submission order
};

}  // namespace brokkr
