// A block's shared storage for rasterization.
#pragma once

#include "raster/tile.h"

BROKKR_MACHINE_BEGIN

#if defined(__CUDACC__)
BROKKR_CONSTANT int kMaxWarps = 8;
#else
inline constexpr int kMaxWarps = kWidth == 32 ? 8 : 1;
#endif

// Triangles on their way through one region's tiles, in order.
BROKKR_CONSTANT int kListCapacity = 256;

struct RasterShared {
  RegionKeys keys;
  TileBuffer tile[kMaxWarps];
  uint32_t list_record[kListCapacity + kWidth];  // block * 32 + record
  uint32_t list_tiles[kListCapacity + kWidth];   // first and last tile: x0 | y0 << 8 | x1 << 16 | y1 << 24
  int32_t list_count;
  uint32_t flag;
  uint32_t watermark_tasks, watermark_batches;
  uint32_t eligible;
  uint64_t fragments;  // of the visit
};

BROKKR_MACHINE_END
