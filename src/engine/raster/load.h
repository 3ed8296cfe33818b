// Loads pictures into planes, a tile or a region at a time. On CPUs the pictures of the first colour (kLoadWaits) and
// of depth (kDepthLoadWaits) wait until something reads the plane: tiles whose colours are all replaced, and regions
// whose depths are cleared, are never loaded.
#pragma once

#include "raster/plane.h"
#include "raster/raster_tables.h"
#include "raster/region.h"
#include "shade/texel_store.h"

BROKKR_MACHINE_BEGIN

// True if pictures can wait. On CUDA, code for them inside tiles would cost registers.
inline constexpr bool kLoadsCanWait = Warp::takes_turns && (kKernelFeatures & kFeaturePrograms) != 0;

// The phase that loads the depths of a region for which they wait. Its number takes the place of the clear's depth.
BROKKR_FN uint32_t waiting_depth_load(const RegionState& state) {
  uint32_t phase;
  __builtin_memcpy(&phase, &state.depth, sizeof phase);
  return phase;
}

// Normalizes NaN in the word's two halves, as half_from_float does.
BROKKR_FN Uint loaded_halves(Uint word) {
  word = select((word & 0x7fff) > 0x7c00, (word & 0xffff8000) | 0x7e00, word);
  return select((word & 0x7fffffff) > 0x7c00ffff, (word & 0x8000ffff) | 0x7e000000, word);
}

// The same for one word.
BROKKR_FN uint32_t normal_halves(uint32_t word) {
  word = (word & 0x7fff) > 0x7c00 ? (word & 0xffff8000) | 0x7e00 : word;
  return (word & 0x7fffffff) > 0x7c00ffff ? (word & 0x8000ffff) | 0x7e000000 : word;
}

// A row of eight samples of a tile. Samples 2 k and 2 k + 1 of it are adjacent: their indices in the region are sample
// + pair(k) and the next one.
struct TileRow {
  int x, y;    // position of the first sample in the layer
  int sample;  // its index in the region

  BROKKR_FN TileRow(const TargetTables& planes, const RegionRecord& region, int i) {
    const int tiles_shift = planes.region_shift - 3;
    const int tile = i & ((1 << tiles_shift) - 1), row = i >> tiles_shift;
    x = region.x + tile * kTile;
    y = region.y + row;
    sample = ((row / kTile << tiles_shift) + tile) * kTileSamples + ((row & 1) << 1 | (row & 2) << 2 | (row & 4) << 3);
  }
  BROKKR_FN static int count(const TargetTables& planes) { return planes.region << (planes.region_shift - 3); }
  // Number of row `row` of a tile.
  BROKKR_FN static int of_tile(const TargetTables& planes, int tile, int row) {
    const int tiles_shift = planes.region_shift - 3;
    return (((tile >> tiles_shift) * kTile + row) << tiles_shift) + (tile & ((1 << tiles_shift) - 1));
  }
  BROKKR_FN static int pair(int k) { return (k & 1) << 2 | (k & 2) << 3; }
};

// Copies a picture to a region of a plane; `phase` is that of the load.
class PictureLoad {
 public:
  BROKKR_FN PictureLoad(const TargetTables& planes, const RegionRecord& region, const PhaseRecord& phase,
                        const uint32_t* texels)
      : planes_(planes), region_(region), phase_(phase), texels_(texels) {
    // sRGB colours are copied as stored.
    const TexelEncoding stored = TexelEncoding(phase.encoding);
    encoding_ = stored == TexelEncoding::srgb8 ? TexelEncoding::rgba8 : stored;
    as_ = loaded_as();
  }
  // The warp's share of the region.
  BROKKR_FN void load_region(Warp& w, Share share) const {
    if (copies_rows()) {
      const int rows = TileRow::count(planes_);
      for (int first = share.first; first < rows; first += share.step)
        w.for_lanes(w.first_lanes(rows - first), [&](int lane) { copy_row(first + lane); });
      return;
    }
    for (int s = share.first; s < planes_.region * planes_.region; s += share.step) load_vector(w, s);
  }
  // A tile, by its number in the region.
  BROKKR_FN void load_tile(Warp& w, int tile) const {
    if (copies_rows()) {
      w.once([&] {
        for (int row = 0; row < kTile; ++row) copy_row(TileRow::of_tile(planes_, tile, row));
      });
    } else {
      for (int s = 0; s < kTileSamples; s += w.width) load_vector(w, tile * kTileSamples + s);
    }
    w.sync();
  }

 private:
  // The way that texels become samples. They are copied as words if the words are equal, copied as normalized halves or
  // as depths of 0 to 1, or decoded and encoded again.
  enum class LoadedAs : uint32_t { word, halves, depth, texel };

  const TargetTables& planes_;
  const RegionRecord& region_;
  const PhaseRecord& phase_;
  const uint32_t* texels_;
  TexelEncoding encoding_;
  LoadedAs as_;

  BROKKR_FN LoadedAs loaded_as() const {
    if (phase_.planes == kPlaneDepth)
      return Warp::takes_turns && encoding_ == TexelEncoding::r32 ? LoadedAs::depth : LoadedAs::texel;
    if (phase_.color_plane != 0) return LoadedAs::texel;
    const bool half = planes_.targets[phase_.target].format == uint32_t(ColorFormat::rgba16f);
    if (encoding_ == TexelEncoding::rgba8 && !half) return LoadedAs::word;
    return encoding_ == TexelEncoding::rgba16f && half ? LoadedAs::halves : LoadedAs::texel;
  }
  // Only 16-bit formats read color_high. On CUDA, loads of the other kinds go sample by sample.
  BROKKR_FN bool copies_rows() const {
    return Warp::takes_turns ? as_ != LoadedAs::texel : as_ == LoadedAs::word && !planes_.color_high;
  }
  BROKKR_FN void copy_row(int number) const {
    const TileRow row(planes_, region_, number);
    if (row.x >= phase_.image_width || row.y >= phase_.image_height) return;
    const size_t texel = size_t(row.y) * size_t(phase_.image_width) + size_t(row.x);
    const size_t place = first_sample(planes_, region_) + size_t(row.sample);
    const int rest = phase_.image_width - row.x;
    const uint32_t* const words = texels_ + size_t(phase_.first_word);
    if constexpr (Warp::takes_turns) {
      if (as_ == LoadedAs::halves) return copy_halves(words + 2 * texel, place, rest);
      if (as_ == LoadedAs::depth) return copy_depths(words + texel, place, rest);
    }
    put_row(planes_.color + place, words + texel, rest);
  }
  // Stores up to eight words of a row.
  BROKKR_FN static void put_row(uint32_t* samples, const uint32_t* words, int count) {
    if (count >= kTile) {
      for (int k = 0; k < kTile / 2; ++k) __builtin_memcpy(samples + TileRow::pair(k), words + 2 * k, sizeof(uint64_t));
      return;
    }
    for (int k = 0; k < count; ++k) samples[TileRow::pair(k / 2) + k % 2] = words[k];
  }
  BROKKR_FN void copy_halves(const uint32_t* texels, size_t place, int count) const {
    uint32_t low[kTile] = {}, high[kTile] = {};
    for (int k = 0; k < kTile && k < count; ++k) {
      low[k] = normal_halves(texels[2 * k]);
      high[k] = normal_halves(texels[2 * k + 1]);
    }
    put_row(planes_.color + place, low, count);
    put_row(planes_.color_high + place, high, count);
  }
  BROKKR_FN void copy_depths(const uint32_t* texels, size_t place, int count) const {
    float depth[kTile] = {};
    __builtin_memcpy(depth, texels, size_t(count < kTile ? count : kTile) * sizeof(float));
    for (float& z : depth) {
      z = z > 0.0f ? z : 0.0f;  // NaN becomes 0
      z = z < 1.0f ? z : 1.0f;
    }
    uint32_t words[kTile];
    __builtin_memcpy(words, depth, sizeof words);
    put_row(reinterpret_cast<uint32_t*>(planes_.depth + place), words, count);
  }
  // Samples s .. s + width - 1 of the region.
  BROKKR_FN void load_vector(Warp& w, int s) const {
    const Position position = region_position(w, planes_, region_, s);
    const Mask m = position.x < phase_.image_width && position.y < phase_.image_height;
    if (!w.any(m)) return;
    const Int word = (position.y * phase_.image_width + position.x) * int(words_of(encoding_)) + int(phase_.first_word);
    const size_t place = first_sample(planes_, region_) + size_t(s);
    if (as_ != LoadedAs::texel) {
      Uint low, high = 0u;
      if (as_ == LoadedAs::halves) {
        w.gather_near(texels_, word, word + 1, m, low, high);
        low = loaded_halves(low);
        high = loaded_halves(high);
      } else {
        low = w.gather(texels_, word, m);
      }
      w.merge(planes_.color + place, low, m);
      if (planes_.color_high) w.merge(planes_.color_high + place, high, m);
      return;
    }
    const Vec4<Warp> texel = load_texel(w, texels_, encoding_, word, m);
    if (phase_.planes == kPlaneDepth) {
      w.merge(planes_.depth + place, clamp_to(texel.x, 0.0f, 1.0f) + 0.0f, m);
    } else {
      store_plane(w, planes_, {phase_.target, phase_.color_plane, place, true}, {texel.x, texel.y, texel.z, texel.w},
                  m);
    }
  }
};

// Loads a tile of a region whose load waits. Not inlined, because few frames have such tiles.
BROKKR_FN_NOINLINE void load_waiting_tile(Warp& w, const TargetTables& planes, const RegionRecord& region,
                                          const FrameTables& frame, const ProgramTables& programs, int tile) {
  PictureLoad(planes, region, frame.phases[planes.region_state[region.number].color], programs.loads)
      .load_tile(w, tile);
}

BROKKR_MACHINE_END
