// Exact coverage inside one region, by edge functions of a triangle record in 32-bit integers.
//
// An edge function at sample centres is a multiple of 256 plus a constant. We divide it by 256 and round down. For the
// bottom-left rule, we add -1 to edges that do not own their samples. The sign is unchanged, and the function steps by
// whole 1/256-pixel differences.
#pragma once

#include "geometry/records.h"
#include "raster/region.h"

BROKKR_MACHINE_BEGIN

// A triangle relative to a region's first sample.
struct RegionTriangle {
  int32_t e[3];         // edge functions at that sample; negative: outside
  int32_t a[3];         // change per sample to the right
  int32_t b[3];         // change per sample upwards
  Box<int32_t> box;     // relative to the region, not clipped to it
  float z, z_dx, z_dy;  // depth plane; its origin is the box's first sample
  float z_min, z_max;
  uint32_t primitive;
};

BROKKR_FN float float_of_bits(uint32_t bits) {
#if defined(__CUDACC__)
  return __uint_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}

// The edge functions of a record at the centre of pixel (x, y), in 1/65536 of a pixel's area: exact, and -1 is added to
// those that do not own their samples.
struct EdgeFunctions {
  int64_t e[3];
  int32_t a[3], b[3];  // change per 1/256 pixel to the right and upwards

  BROKKR_FN EdgeFunctions(const TriangleBlock& block, int i, int x, int y) {
    int32_t vx[3], vy[3];
    for (int k = 0; k < 3; ++k) {
      vx[k] = int32_t(block.field[x_field(k)][i]);
      vy[k] = int32_t(block.field[y_field(k)][i]);
    }
    edge_steps(vx, vy, a, b);
    for (int k = 0; k < 3; ++k) {
      e[k] = int64_t(a[k]) * (x * 256 + 128 - vx[k]) + int64_t(b[k]) * (y * 256 + 128 - vy[k]) -
             (owns_samples(a[k], b[k], block.top_edges != 0) ? 0 : 1);
    }
  }
  // Edge k at (dx, dy) from the centre, divided by 256.
  BROKKR_FN int32_t at(int k, int dx, int dy) const {
    const int64_t scaled = (e[k] + int64_t(a[k]) * dx + int64_t(b[k]) * dy) >> 8;
    const int64_t limit = int64_t(1) << 30;  // beyond this value the sign cannot change within a region
    return int32_t(scaled < -limit ? -limit : scaled > limit ? limit : scaled);
  }
};

// Returns record i of a block relative to the region whose first pixel is (x, y). The edge functions belong to samples
// at (dx, dy) from the pixels' centres, in 1/256 pixel.
BROKKR_FN RegionTriangle region_triangle(const TriangleBlock& block, int i, int x, int y, int dx = 0, int dy = 0) {
  RegionTriangle tri;
  const EdgeFunctions edges(block, i, x, y);
  for (int k = 0; k < 3; ++k) {
    tri.a[k] = edges.a[k];
    tri.b[k] = edges.b[k];
    tri.e[k] = edges.at(k, dx, dy);
  }
  const Box<int32_t> box = record_box(block, i);
  tri.box = {box.min_x - x, box.min_y - y, box.max_x - x, box.max_y - y};
  tri.z = float_of_bits(block.field[kZ][i]);
  tri.z_dx = float_of_bits(block.field[kZdx][i]);
  tri.z_dy = float_of_bits(block.field[kZdy][i]);
  tri.z_min = block.z_min;
  tri.z_max = block.z_max;
  tri.primitive = block.field[kPrimitive][i];
  return tri;
}

// The depth of the triangle's plane at dx, dy samples from its origin, clamped to the block's range.
BROKKR_FN Float plane_depth(const RegionTriangle& tri, Float dx, Float dy) {
  return clamp_to((tri.z + tri.z_dx * dx) + tri.z_dy * dy, tri.z_min, tri.z_max);
}

// True if one vector can hold the first samples of all vectors of a tile. One multiplication then computes the edge
// functions at all of them. This holds for 8, 16 and 32 lanes.
inline constexpr bool kTileStartsFit = Warp::takes_turns && kTileSamples <= kWidth * kWidth;

// Bit masks of the samples in a tile's first n columns, and in its first n rows.
struct SamplesBefore {
  uint64_t column[kTile + 1], row[kTile + 1];
};
constexpr SamplesBefore samples_before() {
  SamplesBefore before{};
  for (int n = 0; n <= kTile; ++n) {
    for (int i = 0; i < kTileSamples; ++i) {
      if (tile_x(i) < n) before.column[n] |= uint64_t(1) << i;
      if (tile_y(i) < n) before.row[n] |= uint64_t(1) << i;
    }
  }
  return before;
}
inline constexpr SamplesBefore kSamplesBefore = samples_before();

// A triangle's edge functions at the samples of a tile, one vector of samples at a time.
class TileEdges {
 public:
  // (x0, y0): the tile's first sample, relative to the region. `only_depths`: the caller asks for nothing else, as in a
  // tile that the triangle covers.
  BROKKR_FN TileEdges(Warp& w, const RegionTriangle& tri, int x0, int y0, bool only_depths = false)
      : tri_(tri),
        x0_(x0),
        y0_(y0),
        in_box_(x0 >= tri.box.min_x && x0 + kTile - 1 <= tri.box.max_x && y0 >= tri.box.min_y &&
                y0 + kTile - 1 <= tri.box.max_y),
        x_(tile_x(w.lane())),
        y_(tile_y(w.lane())) {
    if (Warp::takes_turns && only_depths) return;
    for (int k = 0; k < 3; ++k) {
      lane_[k] = tri.a[k] * x_ + tri.b[k] * y_;
      if constexpr (kTileStartsFit) {
        const Int first = w.lane() * kWidth & (kTileSamples - 1);
        vector_[k] = tri.a[k] * tile_x(first) + tri.b[k] * tile_y(first);
      }
    }
    move(w);
  }
  // Takes the triangle's edge functions again, which the caller has replaced by those of other samples of its pixels.
  BROKKR_FN void move(Warp& w) {
    for (int k = 0; k < 3; ++k) {
      first_[k] = tri_.e[k] + tri_.a[k] * x0_ + tri_.b[k] * y0_;
      if constexpr (kTileStartsFit) w.store(start_[k], vector_[k] + first_[k]);
    }
  }
  // The samples among s .. s + width - 1 that lie inside.
  BROKKR_FN Mask inside(int s) const {
    const int sx = tile_x(s), sy = tile_y(s);
    const Mask inside = inside_edges(s);
    if (Warp::takes_turns && in_box_) return inside;
    const int x = x0_ + sx, y = y0_ + sy;
    return inside && x_ >= tri_.box.min_x - x && x_ <= tri_.box.max_x - x && y_ >= tri_.box.min_y - y &&
           y_ <= tri_.box.max_y - y;
  }
  // The same for all samples of the tile, one bit each. This is a template so that only machines with kTileStartsFit
  // compile it.
  template <class W>
  BROKKR_FN uint64_t coverage(W& w) const {
    uint64_t covered = 0;
    for (int s = 0; s < kTileSamples; s += w.width) covered |= uint64_t(w.ballot(inside_edges(s))) << s;
    return in_box(covered);
  }
  // Gives the same as coverage(), one edge after another. This takes less time if most tiles are cut by one edge.
  template <class W>
  BROKKR_FN uint64_t coverage_by_edges(W& w) const {
    uint64_t covered = ~uint64_t(0);
    for (int k = 0; k < 3; ++k) {
      const int32_t a = tri_.a[k], b = tri_.b[k];
      if (first_[k] + (kTile - 1) * ((a < 0 ? a : 0) + (b < 0 ? b : 0)) >= 0) continue;
      uint64_t outside = 0;
      for (int s = 0; s < kTileSamples; s += w.width)
        outside |= uint64_t(w.ballot(lane_[k] + start_[k][s / kWidth] < 0)) << s;
      covered &= ~outside;
    }
    return in_box(covered);
  }
  // Returns true if these samples lie outside the triangle's box.
  BROKKR_FN bool misses_box(int s) const {
    if (Warp::takes_turns && in_box_) return false;
    const int across = tile_x(Warp::width - 1), up = tile_y(Warp::width - 1);
    const int x = x0_ + tile_x(s), y = y0_ + tile_y(s);
    return x > tri_.box.max_x || x + across < tri_.box.min_x || y > tri_.box.max_y || y + up < tri_.box.min_y;
  }
  // The depths of these samples.
  BROKKR_FN Float depth(int s) const {
    return plane_depth(tri_, to_float(x_ + (x0_ + tile_x(s) - tri_.box.min_x)),
                       to_float(y_ + (y0_ + tile_y(s) - tri_.box.min_y)));
  }

  // The depths of all vectors of a tile. A depth is the sum of a value per column and a value per row of vectors, added
  // in the same order as in depth().
  struct Depths {
    Float column[2], row[4];
    float z_min, z_max;

    BROKKR_FN Float at(int s) const {
      return clamp_to(column[tile_x(s) >> 2] + row[tile_y(s) / kRowStep], z_min, z_max);
    }
  };
  BROKKR_FN Depths depths() const {
    Depths d{.z_min = tri_.z_min, .z_max = tri_.z_max};
    for (int i = 0; i < 2; ++i) d.column[i] = tri_.z + tri_.z_dx * to_float(x_ + (x0_ + 4 * i - tri_.box.min_x));
    for (int i = 0; i < kTile / kRowStep; ++i)
      d.row[i] = tri_.z_dy * to_float(y_ + (y0_ + kRowStep * i - tri_.box.min_y));
    return d;
  }

 private:
  // The number of rows in a vector of 8 (4 x 2) or 16 (4 x 4) samples.
  static constexpr int kRowStep = kWidth == 8 ? 2 : 4;

  BROKKR_FN Mask inside_edges(int s) const {
    Int e[3];
    for (int k = 0; k < 3; ++k) {
      if constexpr (kTileStartsFit)
        e[k] = lane_[k] + start_[k][s / kWidth];
      else
        e[k] = lane_[k] + (first_[k] + tri_.a[k] * tile_x(s) + tri_.b[k] * tile_y(s));
    }
    return (e[0] | e[1] | e[2]) >= 0;
  }

  // The samples of `covered` that lie in the triangle's box.
  BROKKR_FN uint64_t in_box(uint64_t covered) const {
    if (in_box_) return covered;
    const auto between = [](int first, int last, const uint64_t(&before)[kTile + 1]) {
      const auto clamp = [](int n) { return n < 0 ? 0 : n > kTile ? kTile : n; };
      return before[clamp(last + 1)] & ~before[clamp(first)];
    };
    return covered & between(tri_.box.min_x - x0_, tri_.box.max_x - x0_, kSamplesBefore.column) &
           between(tri_.box.min_y - y0_, tri_.box.max_y - y0_, kSamplesBefore.row);
  }

  const RegionTriangle& tri_;
  int x0_, y0_;
  bool in_box_;  // the whole tile lies in the box; tested once if a warp processes a tile vector by vector
  Int x_, y_;
  int32_t first_[3];
  alignas(64) int32_t start_[3][kTileStartsFit ? kWidth : 1];  // first samples of vectors, if they fit
  Int lane_[3];
  Int vector_[kTileStartsFit ? 3 : 1];  // edge functions at the first samples of vectors, minus those of the tile
};

// The depths of the covered samples of a tile, vector by vector. If they are many, what vectors share is computed
// first.
class TileDepths {
 public:
  BROKKR_FN TileDepths(const TileEdges& edges, uint64_t covered) : edges_(edges) {
    if constexpr (kTileStartsFit) {
      together_ = count_bits(covered) >= kTileSamples / 2;
      if (together_) depths_ = edges.depths();
    }
  }
  BROKKR_FN Float at(int s) const {
    if constexpr (kTileStartsFit) {
      if (together_) return depths_.at(s);
    }
    return edges_.depth(s);
  }

 private:
  const TileEdges& edges_;
  bool together_ = false;
  TileEdges::Depths depths_;  // unset unless together_
};

// Tiles of 8 x 8 samples, one per lane.
struct LaneTiles {
  Int x, y;               // first sample, relative to the region
  Mask touched, covered;  // tiles that the triangle may touch, and tiles that it covers completely
};

// Bit ty * 8 + tx stands for tile (tx, ty) of a region. Regions of fewer than 64 tiles use the lower left corner of
// that map.
struct TileMasks {
  uint64_t touched, covered;
};

// Finds the tiles of a region (edge 1 << shift) that a triangle touches and covers. `refine(LaneTiles&)` may remove
// some of them.
template <class Refine>
BROKKR_FN TileMasks tile_masks(Warp& w, const RegionTriangle& tri, int shift, Refine&& refine) {
  TileMasks masks{0, 0};
  const int edge = 1 << (shift - 3);
  int first = 0, end = 8 * edge;
  if constexpr (Warp::takes_turns) {  // rows of tiles that the box does not meet are left out
    const int low = tri.box.min_y >> 3, high = tri.box.max_y >> 3;
    if (low > 0) first = (low << 3) & ~(w.width - 1);
    if (high < edge) end = (high + 1) << 3;
  }
  for (int g = first; g < end; g += w.width) {
    LaneTiles tiles;
    const Int tile = w.lane() + g;
    const Int column = tile & 7;
    const Int x = column << 3, y = tile & ~7;  // y = (tile >> 3) * 8
    Mask touched = column < edge && y < 8 * edge && x + 7 >= tri.box.min_x && x <= tri.box.max_x &&
                   y + 7 >= tri.box.min_y && y <= tri.box.max_y;
    if (!w.any(touched)) continue;
    Mask covered = x >= tri.box.min_x && x + 7 <= tri.box.max_x && y >= tri.box.min_y && y + 7 <= tri.box.max_y;
    for (int k = 0; k < 3; ++k) {
      const Int e = tri.e[k] + tri.a[k] * x + tri.b[k] * y;
      const int rise = (tri.a[k] > 0 ? 7 * tri.a[k] : 0) + (tri.b[k] > 0 ? 7 * tri.b[k] : 0);
      const int fall = (tri.a[k] < 0 ? 7 * tri.a[k] : 0) + (tri.b[k] < 0 ? 7 * tri.b[k] : 0);
      touched = touched && e >= -rise;
      covered = covered && e >= -fall;
    }
    tiles.x = x;
    tiles.y = y;
    tiles.touched = touched;
    tiles.covered = touched && covered;
    if (w.any(touched)) refine(tiles);
    masks.touched |= uint64_t(w.ballot(tiles.touched)) << g;
    masks.covered |= uint64_t(w.ballot(tiles.covered)) << g;
  }
  return masks;
}

BROKKR_MACHINE_END
