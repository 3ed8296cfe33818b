// Render targets in memory. A layer is cut into square regions (64 pixels, or the bin where that is smaller); a
// region's samples lie together, in 8x8 tiles row by row, in Morton order inside a tile: four consecutive samples are a
// 2x2 quad. A region belongs to exactly one rasterizer, which alone reads and writes it while the kernel runs.
#pragma once

#include <cstdint>

#include "machine/table_pointer.h"

namespace brokkr {

inline constexpr int kTile = 8;  // pixels
inline constexpr int kTileSamples = 64;
inline constexpr int kMaxRegion = 64;  // pixels
inline constexpr int kMaxRegionSamples = kMaxRegion * kMaxRegion;

// Content of a region that memory does not hold yet: a clear that still waits, or keys that wait to be shaded.
enum RegionBit : uint32_t {
  kClearColor = 1,  // PlaneBit values
  kClearDepth = 2,
  kClearStencil = 4,
  kKeysWaiting = 8,  // the order plane holds keys of an order-free phase, the depth plane their depths
};
inline constexpr uint32_t kClearAny = kClearColor | kClearDepth | kClearStencil;

struct RegionState {
  uint32_t bits;  // RegionBit
  float depth;    // clear values that wait
  uint64_t color;
  uint32_t stencil;
  uint32_t untouched;  // planes, by RegionBit, whose clear that waits is the launch's beginning
};

// Where a colour beyond a target's first lies, a texel (shade/texel_store.h) for each sample.
struct PlaneRecord {
  uint32_t encoding;  // TexelEncoding
  uint32_t words;     // of a sample; 0: the target has no such colour
  uint32_t whole;     // 1: integers, of which no average is taken
  uint64_t first;     // into TargetTables::more_colors: of the first sample of the target
};
// The last is the first colour once more, in its own encoding, where TargetTables::color cannot hold all of it: draws,
// clears and copies write both, programs and copies read this one.
inline constexpr int kMostColorPlanes = 9;
inline constexpr uint32_t kExactPlane = 8;

struct TargetRecord {
  uint32_t width, height, layers, format;  // format: ColorFormat
  uint32_t bins_x, bins_y;
  uint32_t first_bin;  // into TargetTables::bin_owner, bins_x * bins_y entries
  uint32_t regions_x, regions_y;
  // Of sample 0: regions_x * regions_y per layer. The regions of sample i follow i * sample_regions later.
  uint32_t first_region;
  uint32_t samples;                      // of a pixel: 1, 2, 4 or 8 (target/samples.h)
  uint32_t sample_regions;               // regions of all layers
  PlaneRecord planes[kMostColorPlanes];  // by number; the first is in TargetTables::color, and in kExactPlane
};

// A region, in the list of its rasterizer.
struct RegionRecord {
  uint32_t target, layer;
  int32_t x, y;     // of its lower left sample
  uint32_t number;  // over all targets: into TargetTables::region_state, its samples start at number * region^2
  // Which sample of its pixels it holds. The regions of a pixel's samples follow each other in the list.
  uint32_t sample;
};

// Stamps of samples (raster/stamp.h): one less than the number of stamps so far, and then of each 64 samples their
// orders, times in units of 64 ns, blocks and warps, 64 words of each. All ones: no stamp.
inline constexpr int kStampHead = 16, kStampWords = 4;
inline constexpr int kStampTimeShift = 6;

struct TargetTables {
  TablePointer<const TargetRecord> targets;
  TablePointer<const uint32_t> bin_owner;         // rasterizer of each bin of layer 0
  TablePointer<const uint32_t> first_own_region;  // rasterizers + 1 entries, into own_regions
  TablePointer<const RegionRecord> own_regions;
  TablePointer<RegionState> region_state;
  // Planes, region after region over all targets.
  TablePointer<uint32_t> color;        // RGBA8, or red and green of RGBA16F
  TablePointer<uint32_t> color_high;   // blue and alpha of RGBA16F; null where no target has it
  TablePointer<uint32_t> more_colors;  // null where no target has more than one colour
  TablePointer<float> depth;
  TablePointer<uint8_t> stencil;
  TablePointer<uint32_t> order;       // waiting keys' order half
  TablePointer<uint64_t> direct;      // null, or keys that geometry writes itself (machine/key_plane.h)
  TablePointer<uint32_t> visible_id;  // null, or last colour writer
  TablePointer<uint32_t> depth_id;    // null, or last depth writer
  TablePointer<uint32_t> overdraw;    // null, or covering fragments
  TablePointer<uint32_t> stamps;      // null, or kStampHead words and then kStampWords for each sample
  int32_t region;                     // edge in pixels: 8, 16, 32 or 64
  int32_t region_shift;
  int32_t bin_shift;
  uint32_t rasterizers;
  uint32_t block;  // that works with this copy of the tables: kFeatureStamps
};

// The owner of a bin is another rasterizer in each layer, so that many small views spread over all rasterizers.
constexpr uint32_t layer_offset(uint32_t target, uint32_t layer, uint32_t rasterizers) {
  return (target + layer) % rasterizers;
}

}  // namespace brokkr
