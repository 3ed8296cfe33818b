// The triangle store: blocks of 32 set-up triangles on their way from geometry to the rasterizers. Its size is fixed
// when a launch starts; free blocks wait in a broker queue and a task starts only when it has reserved all blocks that
// it may need.
#pragma once

#include <cstdint>

#include "geometry/constants.h"

namespace brokkr {

// Samples of a target, both ends inclusive. I is int32_t, or Int for a box per lane.
template <class I>
struct Box {
  I min_x, min_y, max_x, max_y;
};

// All of a record's fields are 32 bits wide; a block stores them field by field.
enum RecordField : int {
  // Corners, in 1/256 pixel, counter-clockwise (y up).
  kX0,
  kY0,
  kX1,
  kY1,
  kX2,
  kY2,
  // Samples of its box inside the draw's rectangle, packed (geometry/records.h).
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
