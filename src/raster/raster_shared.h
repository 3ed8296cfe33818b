// A block's shared storage for rasterization.
#pragma once

#include "raster/raster_tables.h"
#include "raster/tile.h"

BROKKR_MACHINE_BEGIN

#if defined(__CUDACC__)
BROKKR_CONSTANT int kMaxWarps = 8;
#else
inline constexpr int kMaxWarps = kWidth == 32 ? 8 : 1;
#endif

// Triangles on their way through one region's tiles, in order.
BROKKR_CONSTANT int kListCapacity = 256;

struct TileList {
  uint32_t record[kListCapacity + kWidth];  // block * 32 + record
  RegionTriangle triangle[kListCapacity];
  // Tiles that each touches and covers, 32 tiles to a word: TileMasks by halves.
  uint32_t touched[2][kListCapacity + kWidth];
  uint32_t covered[2][kListCapacity + kWidth];
  int32_t count;
};

struct RasterShared {
  union {
    RegionKeys keys;  // order-free phases
    TileList list;    // ordered phases
  };
  TileBuffer tile[kMaxWarps];
  uint32_t flag;
  uint32_t eligible;
};

// Whether the launch ends whatever is left: the rest of an aborted frame took too long. Asked before each portion of
// work that takes milliseconds at most, so that no visit, however long, holds the launch up.
BROKKR_FN bool is_stopped(Warp& w, const RasterTables& t) {
  return w.uniform([&] { return system_atomic<uint32_t>(*t.abort).load(kRelaxed); }) >= 2;
}
// One answer for all warps of the block.
template <class Shared>
BROKKR_FN bool is_stopped(Block<Shared>& b, const RasterTables& t) {
  RasterShared& shared = b.shared->raster;
  b.sync();
  if (b.leader()) {
    const bool stopped = is_stopped(b.warp, t);
    b.warp.once([&] { shared.flag = stopped ? 1u : 0u; });
  }
  b.sync();
  return shared.flag != 0;
}

BROKKR_MACHINE_END
