// Constants of scheduling, each with its consequence. None changes a picture; all change its time. The options of
// brokkr/options.def that are not 0 override the sizes.
#pragma once

#include <cstdint>

namespace brokkr {

// Batches that a task takes at most, and tasks that there are for each warp before a task takes more than one. Larger
// tasks ask the shared counters less often; smaller ones share the end of a frame more evenly.
inline constexpr uint32_t kMostTaskBatches = 4;
inline constexpr uint32_t kTasksPerWarp = 64;
// The same where a launch has hundreds of warps of 32 lanes, each of which gets a few batches only: there, decisions
// cost more than an uneven end.
inline constexpr uint32_t kTasksPerWideWarp = 4;

// Tasks that may be under way beyond the watermark: kWindowRounds times as many as all blocks can take at once, at
// least kLeastWindow. One slow task holds the others up only once so many are done. Each costs a word.
inline constexpr uint32_t kWindowRounds = 4;
inline constexpr uint32_t kLeastWindow = 1024;

// Blocks of the triangle store, at least 64, where a frame has as many: enough that rasterizers are visited seldom, and
// with full queues. Twice as many cost 20 bytes per block and rasterizer more, and lose the caches.
inline constexpr uint32_t kLeastStoreBlocks = 64;
inline constexpr uint32_t kMostStoreBlocks = 8192;

// Tasks that one decision of a block starts at most: one for each of its warps.
inline constexpr int kMostTasksOfDecision = 8;

// Free blocks of the store that a block of warps keeps for its next tasks, and the part of the store that all of them
// keep together at most. Fewer are taken from and given back to the shared queue more often.
inline constexpr uint32_t kMostStock = 256;
inline constexpr uint32_t kStockShare = 2;
// Free blocks that a block of warps can hold while it works: those of its tasks, and those that its rasterizers have
// finished. They take 4 bytes each of its shared storage; with fewer, a decision starts fewer tasks of large batches
// that may be clipped.
inline constexpr uint32_t kStockCapacity = 2 * kMostStock;

// Policy fill-level: geometry goes first while 1 / kAmpleShare of the store, besides what blocks keep, is free. Nearer
// to 1, rasterizers are visited for fewer triangles; far above, geometry runs into the full store and waits.
inline constexpr uint32_t kAmpleShare = 4;

// Rasterizers among which a block looks for the longest queue, at least. Fewer find shorter queues, more cost time with
// many rasterizers and blocks.
inline constexpr int kEnoughRasterizers = 64;
// Rasterizers that each lane asks before it waits for what they answer. With 32 lanes, 510 are asked in four round
// trips to memory; half as many take eight, and a block that finds nothing to do asks again that much later. Twice as
// many take more registers.
inline constexpr int kAskedTogether = 4;

// Decisions in a row that lead to a leaf which others emptied meanwhile, before a block or a worker pauses.
inline constexpr int kMostTriesOfBlock = 4;
inline constexpr int kMostTriesOfWorker = 8;

// Leaves that a worker's decisions can leave out, one bit each, and queues whose order a maintainer remembers, two
// words each. Leaves beyond are asked again, queues beyond share places.
inline constexpr int kMostExcludedLeaves = 256;
inline constexpr int kTrackedQueues = 64;

}  // namespace brokkr
