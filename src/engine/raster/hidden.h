// Leaves out hidden triangles of order-free phases on CPUs. Blocks are drawn from front to back, and a triangle that is
// deeper than everything in the tiles of its box cannot win a sample.
#pragma once

#include "raster/visibility.h"

BROKKR_MACHINE_BEGIN

// The pending blocks of a region in the order in which they are drawn.
struct BlockOrder {
  static constexpr int kMax = kHasMiddle ? 64 : 1;
  uint32_t block[kMax], mask[kMax], depth[kMax];
  int count = 0;

  // Inserts a block before the first one that is deeper. One triangle stands for the block: a wrong place costs time
  // only.
  BROKKR_FN void insert(const TriangleBlock& inserted, uint32_t number, uint32_t triangles, uint8_t key_bits) {
    const uint32_t z = inserted.field[kZ][lowest_bit(triangles)];
    const uint32_t inserted_depth = key_bits & kKeyGreater ? ~z : z;
    int slot = count++;
    for (; slot > 0 && depth[slot - 1] > inserted_depth; --slot) {
      block[slot] = block[slot - 1];
      mask[slot] = mask[slot - 1];
      depth[slot] = depth[slot - 1];
    }
    block[slot] = number;
    mask[slot] = triangles;
    depth[slot] = inserted_depth;
  }
};

// The region's tiles that a box meets, one bit each. The box meets the region.
BROKKR_FN uint64_t tiles_of_box(const KeyPass& pass, const Box<int32_t>& box) {
  const int last = pass.edge - 1;
  const auto inside = [&](int pixel) { return (pixel < 0 ? 0 : pixel > last ? last : pixel) / kTile; };
  const int x0 = inside(box.min_x - pass.x), x1 = inside(box.max_x - pass.x), y0 = inside(box.min_y - pass.y),
            y1 = inside(box.max_y - pass.y), stride = pass.edge / kTile;
  const uint64_t row = ((uint64_t(2) << (x1 - x0)) - 1) << x0;
  uint64_t tiles = 0;
  for (int y = y0; y <= y1; ++y) tiles |= row << (y * stride);
  return tiles;
}

// The triangles of `mask` that are not known to be hidden. The bounds of the tiles that the block meets are valid.
BROKKR_FN_NOINLINE uint32_t without_hidden(Warp& w, const KeyPass& pass, const TriangleBlock& block, uint32_t mask) {
  constexpr int kMaxTiles = 3;  // across a triangle; a larger one has many samples, some of which are visible
  const Box<int32_t> region = pass.box();
  const bool inverted = (pass.key_bits & kKeyGreater) != 0;
  uint32_t kept = 0;
  for (int g = 0; g < kBlockRecords && (mask >> g) != 0; g += w.width) {
    const RecordGroup records{block, g, lanes_of_group(w, mask, g)};
    const Box<Int> box = records.box(w);
    const Mask here = records.m && meet(box, region);
    if (!w.any(here)) continue;
    // Depth along a row or column is monotonic even after rounding, so a corner of the box is the nearest sample.
    const auto nearest_end = [&](Float step, Int low, Int high) {
      return select((step > 0.0f) != Mask(!inverted), to_float(high - low), Float(0.0f));
    };
    const Float z_dx = as_float(records.field(w, kZdx)), z_dy = as_float(records.field(w, kZdy));
    const Float z = (as_float(records.field(w, kZ)) + z_dx * nearest_end(z_dx, box.min_x, box.max_x)) +
                    z_dy * nearest_end(z_dy, box.min_y, box.max_y);
    const Uint nearest = depth_key(clamp_to(z, block.z_min, block.z_max), pass.key_bits);
    const auto tile = [](Int pixel) { return pixel >> 3; };
    const Int x0 = tile(maximum(box.min_x, region.min_x) - pass.x),
              y0 = tile(maximum(box.min_y, region.min_y) - pass.y),
              wide = tile(minimum(box.max_x, region.max_x) - pass.x) - x0,
              high = tile(minimum(box.max_y, region.max_y) - pass.y) - y0;
    const Mask fits = here && wide < kMaxTiles && high < kMaxTiles;
    const int columns = w.reduce_max(select(fits, wide, 0)), rows = w.reduce_max(select(fits, high, 0));
    Uint farthest = 0u;
    for (int y = 0; y <= rows; ++y) {
      for (int x = 0; x <= columns; ++x) {
        const Mask in = fits && x <= wide && y <= high;
        const Uint tile_farthest = pass.keys->farthest_of(w, ((y0 + y) << (pass.shift - 3)) + (x0 + x), in);
        farthest = select(in, maximum(farthest, tile_farthest), farthest);
      }
    }
    kept |= w.ballot(here && !(fits && !(nearest <= farthest))) << g;
  }
  return kept;
}

// Decides whether a worker looks for hidden triangles. It stops for some visits if few of the last ones were hidden,
// because the order of blocks and the tests take time. Zeroed at the start of a launch.
struct HiddenHistory {
  uint32_t seen, hidden;  // triangles since the last decision
  uint32_t pause;         // visits that draw everything
  uint32_t pauses;        // that followed each other

  BROKKR_FN bool looks() {
    if (pause == 0) return true;
    --pause;
    return false;
  }
  BROKKR_FN void add(uint32_t triangles, uint32_t hidden_triangles) {
    constexpr uint32_t kEnough = 256, kLeastShare = 32, kFirstPause = 4, kMaxDoublings = 4;
    seen += triangles;
    hidden += hidden_triangles;
    if (seen < kEnough) return;
    if (hidden * kLeastShare < seen) {
      pause = kFirstPause << pauses;
      if (pauses < kMaxDoublings) ++pauses;
    } else {
      pauses = 0;
    }
    seen = hidden = 0;
  }
};
struct NoHiddenHistory {};

// Decides which triangles of a region's blocks are drawn.
class HiddenTest {
 public:
  BROKKR_FN explicit HiddenTest(const KeyPass& pass) : pass_(pass) {}

  // Begins with some blocks in order. The first half of the first ones draws what hides the others.
  BROKKR_FN void begin(int blocks) {
    untested_ = begun_ ? 0 : blocks / 2;
    begun_ = true;
  }
  // The triangles of `mask` that must be drawn. Call this for one block after another.
  BROKKR_FN uint32_t visible(Warp& w, const TriangleBlock& block, uint32_t mask) {
    seen_ += uint32_t(count_bits(mask));
    if (patience_ == 0) return mask;
    const uint64_t tiles = tiles_of_box(pass_, block.box);
    if (untested_ > 0) {
      --untested_;
    } else {
      for (uint64_t left = tiles & changed_; left != 0; left &= left - 1)
        pass_.keys->find_farthest(w, lowest_bit(left));
      changed_ &= ~tiles;
      const uint32_t kept = without_hidden(w, pass_, block, mask);
      patience_ = kept != mask ? kPatience : patience_ - 1;
      hidden_ += uint32_t(count_bits(mask & ~kept));
      mask = kept;
    }
    if (mask != 0) changed_ |= tiles;
    return mask;
  }
  BROKKR_FN void note(HiddenHistory& history) const { history.add(seen_, hidden_); }

 private:
  // After this many blocks without hidden triangles, no more are looked for. Twice as many cost more time where nothing
  // is hidden.
  static constexpr int kPatience = 8;
  const KeyPass& pass_;
  bool begun_ = false;
  uint32_t seen_ = 0, hidden_ = 0;  // triangles
  int untested_ = 0, patience_ = kPatience;
  uint64_t changed_ = 0;  // tiles whose deepest sample may be nearer than their bound
};

BROKKR_MACHINE_END
