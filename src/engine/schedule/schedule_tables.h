// Scheduling data: counters that all blocks share, and tables.
#pragma once

#include <cstddef>
#include <cstdint>

#include "brokkr/choices.h"
#include "machine/table_pointer.h"
#include "queue/queue_memory.h"

namespace brokkr {

// Constants of scheduling, each with its consequence. They change times, never a picture. The options of
// brokkr/options.def that are not 0 override the sizes.

// The most batches that a task takes, and the number of tasks per warp from which on tasks take more than one. Larger
// tasks access the shared counters less often; smaller tasks balance the end of a frame better.
inline constexpr uint32_t kMaxTaskBatches = 4;
inline constexpr uint32_t kTasksPerWarp = 64;
// The same for launches with hundreds of warps of 32 lanes, each of which gets only a few batches. There, decisions
// cost more than an uneven end.
inline constexpr uint32_t kTasksPerWideWarp = 4;

// Tasks that may be in progress beyond the watermark: kWindowRounds times as many as all blocks can take at the same
// time, at least kLeastWindow. One slow task blocks the others only after so many have completed. Each costs one word.
inline constexpr uint32_t kWindowRounds = 4;
inline constexpr uint32_t kLeastWindow = 1024;

// Blocks of the triangle store, at least 64, if the frame needs as many. With this size rasterizers are visited seldom
// and with full queues. Twice as many cost 20 more bytes per block and rasterizer, and exceed the caches.
inline constexpr uint32_t kLeastStoreBlocks = 64;
inline constexpr uint32_t kMaxStoreBlocks = 8192;

// The most tasks that one decision of a block starts: one for each of its warps.
inline constexpr int kMostTasksOfDecision = 8;

// Free store blocks that a block of warps keeps for its next tasks, and the largest part of the store that all blocks
// keep together. With fewer, blocks access the shared queue more often.
inline constexpr uint32_t kMaxStock = 256;
inline constexpr uint32_t kStockShare = 2;
// Capacity of a block's stock while it works, for the blocks of its tasks and those that its rasterizers have released.
// Each entry takes 4 bytes of shared storage. With fewer, a decision starts fewer tasks if their batches are large and
// may be clipped.
inline constexpr uint32_t kStockCapacity = 2 * kMaxStock;

// Policy fill-level: geometry goes first while 1 / kAmpleShare of the store, besides the stocks, is free. Near 1,
// rasterizers are visited for fewer triangles; far above 1, geometry fills the store and waits.
inline constexpr uint32_t kAmpleShare = 4;

// A block looks for the longest queue among at least this many rasterizers. Fewer find shorter queues; more cost time
// if there are many rasterizers and blocks.
inline constexpr int kEnoughRasterizers = 64;
// Rasterizers that each lane reads before it waits for the answers. With 32 lanes, 510 rasterizers take four round
// trips to memory. Half as many take eight, and an idle block repeats its search that much later; twice as many take
// more registers.
inline constexpr int kAskedTogether = 4;

// The number of consecutive decisions for leaves that others have emptied, after which a block or a worker pauses.
inline constexpr int kMaxTriesOfBlock = 4;
inline constexpr int kMaxTriesOfWorker = 8;

// The number of leaves that a worker's decisions can exclude, one bit each, and of queues whose order a maintainer
// remembers, two words each. Leaves beyond are asked again; queues beyond share entries.
inline constexpr int kMaxExcludedLeaves = 256;
inline constexpr int kTrackedQueues = 64;

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
