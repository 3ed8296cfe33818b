// Scheduling data: counters that all blocks share, and tables.
#pragma once

#include <cstddef>
#include <cstdint>

#include "brokkr/choices.h"
#include "machine/table_pointer.h"
#include "queue/queue_memory.h"

namespace brokkr {

// Constants of scheduling, each with its consequence. They change times, but never a picture. Options of
// brokkr/options.def override the sizes if they are not 0.

// The largest number of batches in a task, and the number of tasks per warp from which on tasks take more than one
// batch. Larger tasks access the shared counters less often; smaller tasks balance the end of a frame better.
inline constexpr uint32_t kMaxTaskBatches = 4;
inline constexpr uint32_t kTasksPerWarp = 64;
// The same number for launches with hundreds of warps of 32 lanes, where each warp gets only a few batches. There,
// decisions cost more than an uneven end.
inline constexpr uint32_t kTasksPerWideWarp = 4;

// Tasks that may be in progress beyond the watermark: kWindowRounds times the number that all blocks can take at the
// same time, and at least kLeastWindow. One slow task blocks the others only after that many have completed. Each task
// costs one word.
inline constexpr uint32_t kWindowRounds = 4;
inline constexpr uint32_t kLeastWindow = 1024;

// The number of blocks in the triangle store: at least 64, and at most this maximum if the frame needs so much. With
// it, rasterizers are visited seldom and with full queues. A store twice as large costs 20 more bytes per block and
// rasterizer, and exceeds the caches.
inline constexpr uint32_t kLeastStoreBlocks = 64;
inline constexpr uint32_t kMaxStoreBlocks = 8192;

// The largest number of tasks that one decision of a block starts: one for each of its warps.
inline constexpr int kMaxTasksOfDecision = 8;

// The number of free store blocks that a block of warps keeps for its next tasks, and the share of the store that all
// blocks may keep together (1 / kStockShare). With fewer, blocks access the shared queue more often.
inline constexpr uint32_t kMaxStock = 256;
inline constexpr uint32_t kStockShare = 2;
// The capacity of a block's stock while it works. It holds the store blocks of the block's tasks and those that its
// rasterizers have released. Each entry takes 4 bytes of shared storage. With fewer, a decision starts fewer tasks if
// their batches are large and may be clipped.
inline constexpr uint32_t kStockCapacity = 2 * kMaxStock;

// Policy fill-level: geometry goes first while 1 / kAmpleShare of the store, without the stocks, is free. Near 1,
// rasterizers are visited for fewer triangles; far above 1, geometry fills the store and waits.
inline constexpr uint32_t kAmpleShare = 4;

// A block looks for the longest queue among at least this many rasterizers. If it looks at fewer, it finds shorter
// queues. If it looks at more, it takes longer when there are many rasterizers and blocks.
inline constexpr int kEnoughRasterizers = 64;
// The number of rasterizers that each lane reads before it waits for the answers. With 32 lanes, 510 rasterizers take
// four round trips to memory. With half this number they take eight, and an idle block repeats its search that much
// later; with twice this number the search takes more registers.
inline constexpr int kAskedTogether = 4;

// After this many consecutive decisions for leaves that others have emptied, a block or a worker pauses.
inline constexpr int kMaxTriesOfBlock = 4;
inline constexpr int kMaxTriesOfWorker = 8;

// The number of leaves that a worker's decisions can exclude, one bit each, and the number of queues whose order a
// maintainer remembers, two words each. Leaves beyond the first limit are asked again; queues beyond the second share
// entries.
inline constexpr int kMaxExcludedLeaves = 256;
inline constexpr int kTrackedQueues = 64;

// Requests of the host to the running kernel.
enum AbortLevel : uint32_t {
  kAbortNot,
  kAbortFinish,  // take no more tasks, and finish queued work
  kAbortLeave,   // leave as soon as possible
};

// The request, in the words that blocks read.
struct AbortWords {
  uint32_t level;  // AbortLevel
  uint32_t leave;  // not 0 only for kAbortLeave: with kAbortFinish, waits inside queues must continue
};

// The children that a policy chooses between. They are numbers within a bucket, and indices of quotas and times.
enum StageChild : int { kGeometryChild, kRasterChild, kStageChildren };

struct ScheduleControl {
  alignas(64) uint32_t next_task;  // the first task that no block has taken
  alignas(64) uint32_t watermark;  // the first task that is not complete
  alignas(64) uint32_t completed;  // number of complete tasks, if they are counted
  alignas(64) uint32_t finished;   // number of rasterizers that have finished the frame
  // Policy fair: the used time of each child in ns, followed by the quotas (FairShare's words).
  alignas(64) uint64_t share[2 * kStageChildren];
};

// Stocks of free blocks of the triangle store (schedule/stock.h).
struct StockTables {
  QueueMemory<1> free_blocks;  // free blocks that are in no stock
  uint32_t capacity;           // per stock, at most kStockCapacity
  uint32_t keep;               // the largest number that a stock keeps between two actions of its block
};

// One bit per rasterizer (schedule/rasterizer_bits.h).
struct RasterizerBitTables {
  TablePointer<uint32_t> claimed, filled;

  static constexpr size_t words(size_t rasterizers) { return (rasterizers + 31) / 32; }
};

struct ScheduleTables {
  TablePointer<ScheduleControl> control;
  TablePointer<uint32_t> abort;  // AbortLevel
  // True if nothing waits for only some of the tasks. They are then only counted, and the watermark is 0 until all are
  // complete.
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
