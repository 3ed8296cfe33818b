// Constants of geometry, each with its consequence. Pictures depend on the guard band alone, and on that only where
// triangles are clipped at it.
#pragma once

#include <cstdint>

namespace brokkr {

// Triangles of a block of the store, the unit that travels to rasterizers. A mask of them is one word, and a warp of
// CUDA holds a record per lane. Twice as many need masks of 64 bits; half as many send nearly twice as many elements
// through the queues.
inline constexpr int kBlockRecords = 32;

// Clipping one triangle against six planes makes at most nine corners, thus seven triangles.
inline constexpr int kClipPlanes = 6;
inline constexpr int kMaxClippedCorners = 3 + kClipPlanes;
inline constexpr int kMaxClippedTriangles = kMaxClippedCorners - 2;
// Blocks that a batch of kBlockRecords triangles may fill if all are clipped. Each task reserves this many, so a larger
// number lets fewer tasks run at the same time.
inline constexpr int kBlocksPerBatch = kMaxClippedTriangles;

// Window coordinates of set-up triangles stay inside these limits; triangles that reach beyond them are clipped. A
// triangle spans less than 2^15 pixels, so edge functions change by less than 2^30 within a region and fit 32 bits
// there; twice as wide, they would not. A narrower band makes more triangles go through the clipper.
inline constexpr float kGuardMin = -8192.0f;
inline constexpr float kGuardMax = 24576.0f;
static_assert(kGuardMax - kGuardMin <= 32768.0f);
// Clipping stops this many pixels before the limits, so that rounding does not exceed them.
inline constexpr float kGuardMargin = 1.0f;

// Distinct vertices per sub-batch [Kerbl18, 6.1]: one pass of the vertex shader with CUDA's 32 lanes. With more, fewer
// vertices are shaded twice, but passes are not full.
inline constexpr int kMaxUnique = 32;
// Slots of the hash table that finds equal vertices among the 96 corners of a batch: a power of two. Fewer slots make
// longer chains; all are cleared once per sub-batch.
inline constexpr int kReuseSlots = 256;
static_assert((kReuseSlots & (kReuseSlots - 1)) == 0 && kReuseSlots >= 2 * 96);

// Rasterizers of a launch up to which a warp of 32 lanes notes in its block's shared storage which of them a triangle
// block goes to. On CUDA a note in global memory is an atomic with a round trip, one for each bin of the largest box.
// 512 are enough for the 510 of 1920x1080 in bins of 64 x 64; twice as many make the shared storage of a block larger.
inline constexpr int kNearMasks = 512;
static_assert(kNearMasks * sizeof(uint32_t) <= 2 * kReuseSlots * sizeof(uint32_t));

}  // namespace brokkr
