// Render targets in memory. A layer is cut into square regions (64 pixels, or the bin if that is smaller). A region's
// samples lie together, in 8x8 tiles row by row, and in Morton order inside a tile: four consecutive samples are a 2x2
// quad. A region belongs to exactly one rasterizer. Only that rasterizer reads and writes it while the kernel runs.
#pragma once

#include <cstdint>

#include "machine/table_pointer.h"

namespace brokkr {

inline constexpr int kTile = 8;  // pixels
inline constexpr int kTileSamples = 64;
inline constexpr int kMaxRegion = 64;  // pixels
inline constexpr int kMaxRegionSamples = kMaxRegion * kMaxRegion;

// Content of a region that memory does not hold yet: a clear or a picture that still waits, or keys that wait to be
// shaded.
enum RegionBit : uint32_t {
  kClearColor = 1,  // PlaneBit values
  kClearDepth = 2,
  kClearStencil = 4,
  kKeysWaiting = 8,      // the order plane holds keys of an order-free phase, the depth plane their depths
  kLoadWaits = 16,       // the first colour is that of a picture (raster/load.h)
  kChanged = 32,         // the first colour may differ from what was published last
  kDepthLoadWaits = 64,  // the depths are those of a picture
  kShown = 128,          // the first colour is in the caller's memory (ShownColors), and not in the planes
};
inline constexpr uint32_t kClearAny = kClearColor | kClearDepth | kClearStencil;

struct RegionState {
  uint32_t bits;  // RegionBit
  float depth;  // clear values that wait; kDepthLoadWaits: its bits are the number of the phase that loads the picture
  uint64_t color;  // kLoadWaits: the phase that loads the picture
  uint32_t stencil;
  uint32_t untouched;  // planes, by RegionBit, whose pending clear is the one at the beginning of the launch
};

// The place of a colour beyond a target's first: one texel (shade/texel_store.h) per sample.
struct PlaneRecord {
  uint32_t encoding;  // TexelEncoding
  uint32_t words;     // words per sample; 0: the target has no such colour
  uint32_t whole;     // 1: integers, which are not averaged
  uint64_t first;     // index into TargetTables::more_colors of the target's first sample
};
// The last plane repeats the first colour in its native encoding, if TargetTables::color cannot represent it exactly.
// Draws, clears and copies write both planes; programs and copies read this one.
inline constexpr int kMaxStoredPlanes = 9;
inline constexpr uint32_t kExactPlane = 8;

struct TargetRecord {
  uint32_t width, height, layers, format;  // format: ColorFormat
  uint32_t bins_x, bins_y;
  uint32_t first_bin;  // into TargetTables::bin_owner, bins_x * bins_y entries
  uint32_t regions_x, regions_y;
  // The first region of sample 0, which has regions_x * regions_y per layer. The regions of sample i begin i *
  // sample_regions later.
  uint32_t first_region;
  uint32_t samples;                      // samples of a pixel: 1, 2, 4 or 8 (target/samples.h)
  uint32_t sample_regions;               // regions of all layers
  PlaneRecord planes[kMaxStoredPlanes];  // by number; the first is in TargetTables::color, and in kExactPlane
};

// A region. Each rasterizer has a list of its regions.
struct RegionRecord {
  uint32_t target, layer;
  int32_t x, y;  // position of its lower left sample
  // counts over all targets; index into TargetTables::region_state; its samples start at number * region^2
  uint32_t number;
  // The sample of its pixels that it holds. The regions of a pixel's samples follow each other in the list.
  uint32_t sample;
};

// Stamps of samples (raster/stamp.h). First comes the number of stamps so far, minus one. Then, for every 64 samples,
// come their orders, times in units of 64 ns, blocks and warps, each in 64 words. All bits set: no stamp.
inline constexpr int kStampHead = 16, kStampWords = 4;
inline constexpr int kStampTimeShift = 6;

// The caller's memory for the first colours of a target's layers, words that a read-back would copy from the planes. A
// CPU writes them there at once if nothing else reads them.
struct ShownColors {
  TablePointer<uint32_t> pixels;  // the lower left pixel of layer `first`; null: colours go to the planes
  int64_t row, layer;             // words from a row or a layer to the next one
  uint32_t target, first, layers;
};

struct TargetTables {
  TablePointer<const TargetRecord> targets;
  TablePointer<const uint32_t> bin_owner;              // rasterizer of each bin of layer 0
  TablePointer<const uint32_t> first_region_of_owner;  // rasterizers + 1 entries, into regions_by_owner
  TablePointer<const RegionRecord> regions_by_owner;
  TablePointer<RegionState> region_state;
  // The planes, region after region over all targets.
  TablePointer<uint32_t> color;        // RGBA8, or red and green of RGBA16F
  TablePointer<uint32_t> color_high;   // blue and alpha of RGBA16F; null if no target has this format
  TablePointer<uint32_t> more_colors;  // null if no target has more than one colour
  TablePointer<float> depth;
  TablePointer<uint8_t> stencil;
  TablePointer<uint32_t> order;       // the order half of waiting keys
  TablePointer<uint64_t> direct;      // null, or keys that geometry itself writes (machine/key_buffer.h)
  TablePointer<uint32_t> visible_id;  // null, or last colour writer
  TablePointer<uint32_t> depth_id;    // null, or last depth writer
  TablePointer<uint32_t> overdraw;    // null, or covering fragments
  TablePointer<uint32_t> stamps;      // null, or kStampHead words and then kStampWords for each sample
  int32_t region;                     // edge in pixels: 8, 16, 32 or 64
  int32_t region_shift;
  int32_t bin_shift;
  uint32_t rasterizers;
  uint32_t block;  // the block that works with this copy of the tables: kFeatureStamps
  ShownColors shown;
  bool drops_depth;  // nothing reads the depths that the last phase leaves: CPUs need not store them
};

// In each layer, another rasterizer owns a bin, so that many small views spread over all rasterizers.
constexpr uint32_t layer_offset(uint32_t target, uint32_t layer, uint32_t rasterizers) {
  return (target + layer) % rasterizers;
}

}  // namespace brokkr
