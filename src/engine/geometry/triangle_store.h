// The triangle store: blocks of 32 set-up triangles on their way from geometry to the rasterizers. Its size is fixed
// when a launch starts. Free blocks wait in a broker queue, and a task starts only after it has reserved all blocks
// that it may need.
#pragma once

#include <cstdint>

namespace brokkr {

// Constants of geometry, each with its consequence. Only the guard band affects pictures, and only where it clips
// triangles.

// The number of triangles in a block of the store, which is the unit that travels to rasterizers. A mask of them is one
// word, and a warp of CUDA holds a record per lane. Twice as many need masks of 64 bits; half as many send nearly twice
// as many elements through the queues.
inline constexpr int kBlockRecords = 32;

// Clipping one triangle against six planes makes at most nine corners, and thus seven triangles.
inline constexpr int kClipPlanes = 6;
inline constexpr int kMaxClippedCorners = 3 + kClipPlanes;
inline constexpr int kMaxClippedTriangles = kMaxClippedCorners - 2;
// The number of blocks that a batch of kBlockRecords triangles may fill if all are clipped. Each task reserves this
// many, so a larger number lets fewer tasks run at the same time.
inline constexpr int kBlocksPerBatch = kMaxClippedTriangles;

// Window coordinates of set-up triangles stay within these limits. Triangles that reach beyond them are clipped. A
// triangle then spans less than 2^15 pixels, so edge functions change by less than 2^30 within a region and fit in 32
// bits there; with limits twice as wide, they would not. A narrower band makes more triangles go through the clipper.
inline constexpr float kGuardMin = -8192.0f;
inline constexpr float kGuardMax = 24576.0f;
static_assert(kGuardMax - kGuardMin <= 32768.0f);
// Clipping stops this many pixels before the limits, so that rounding does not exceed them.
inline constexpr float kGuardMargin = 1.0f;

// The number of distinct vertices per sub-batch [Kerbl18, 6.1]: one pass of the vertex shader with CUDA's 32 lanes.
// With more, fewer vertices are shaded twice, but passes are not full.
inline constexpr int kMaxUnique = 32;
// The number of slots in the hash table that finds equal vertices among the 96 corners of a batch: a power of two. With
// fewer slots, chains are longer; all slots are cleared once per sub-batch.
inline constexpr int kReuseSlots = 256;
static_assert((kReuseSlots & (kReuseSlots - 1)) == 0 && kReuseSlots >= 2 * 96);

// If a launch has at most this many rasterizers, a warp of 32 lanes records in its block's shared storage which of them
// a triangle block goes to. On CUDA, a record in global memory is an atomic with a round trip, one for each bin of the
// largest box. 512 are enough for the 510 rasterizers of 1920x1080 in bins of 64 x 64; twice as many would make the
// shared storage of a block larger.
inline constexpr int kNearMasks = 512;
static_assert(kNearMasks * sizeof(uint32_t) <= 2 * kReuseSlots * sizeof(uint32_t));

// A rectangle of samples of a target, both ends inclusive. I is int32_t, or Int for a box per lane.
template <class I>
struct Box {
  I min_x, min_y, max_x, max_y;
};

// The fields of a record. All are 32 bits wide; a block stores them field by field.
enum RecordField : int {
  // Corners, in 1/256 pixel, counter-clockwise (y up).
  kX0,
  kY0,
  kX1,
  kY1,
  kX2,
  kY2,
  // The first and last sample of its box inside the draw's rectangle, packed (geometry/records.h).
  kMin,
  kMax,
  // Floats: depth at sample kMin, and its change per pixel.
  kZ,
  kZdx,
  kZdy,
  kPrimitive,  // primitive id
  kRecordFields
};

// Triangles of one run.
struct TriangleBlock {
  uint32_t run, draw, target, layer;
  uint32_t phase, task, sequence;  // sequence: number within the task
  uint32_t count;
  Box<int32_t> box;     // around all of its records
  uint32_t references;  // rasterizers that still need this block
  float z_min, z_max;   // depths are clamped to this range
  uint32_t top_edges;   // 1: kDrawTopEdges of its draw
  uint32_t field[kRecordFields][kBlockRecords];
};

}  // namespace brokkr
