// Order-free phases. They find the visible primitive at each sample of a region by the minimum of (depth, order) keys.
#pragma once

#include "raster/constants.h"
#include "raster/edges.h"
#include "raster/region.h"

BROKKR_MACHINE_BEGIN

// The rule by which an order-free phase covers samples with the triangles of a block or a draw, and forms their keys.
struct KeyRule {
  uint8_t key_bits;    // PhaseRecord::key_bits
  float z_min, z_max;  // depths are clamped to this range
  bool top_edges;      // kDrawTopEdges
};

// Rasterizes small triangles, one per lane of records.m, over the samples of `part`, which is the union of their boxes
// `box` or a part of it. `Records` provides their fields (RecordGroup). `samples` receives keys: row(y) selects the row
// at y from part.min_y, and take(row, x, depth, order, inside) takes the keys at x from part.min_x. Returns the sum of
// the results of `take`.
template <class Records, class Samples>
BROKKR_FN int rasterize_small(Warp& w, const Records& records, const Box<Int>& box, const Box<Int>& part,
                              const KeyRule& rule, Samples&& samples) {
  const Mask m = records.m;
  const Int x0 = part.min_x, y0 = part.min_y, x1 = part.max_x, y1 = part.max_y;
  Int vx[3], vy[3], a[3], b[3], row[3];
  const Int px = (x0 << 8) + 128, py = (y0 << 8) + 128;
  for (int k = 0; k < 3; ++k) {
    vx[k] = records.x(w, k);
    vy[k] = records.y(w, k);
  }
  edge_steps(vx, vy, a, b);
  for (int k = 0; k < 3; ++k) {
    row[k] = (a[k] * (px - vx[k]) + b[k] * (py - vy[k]) + select(owns_samples(a[k], b[k], rule.top_edges), 0, -1)) >> 8;
  }
  const Float z = as_float(records.field(w, kZ));
  const Float z_dx = as_float(records.field(w, kZdx)), z_dy = as_float(records.field(w, kZdy));
  const Uint order = order_of_primitive(records.field(w, kPrimitive), rule.key_bits);
  const Int wide = x1 - x0, high = y1 - y0;
  const int columns = w.reduce_max(select(m, wide, 0)), rows = w.reduce_max(select(m, high, 0));
  const Float dx0 = to_float(x0 - box.min_x), dy0 = to_float(y0 - box.min_y);
  int covered = 0;
  for (int y = 0; y <= rows; ++y) {
    const Mask row_mask = m && y <= high;
    Int e0 = row[0], e1 = row[1], e2 = row[2];
    const Int place = samples.row(y);
    const Float z_y = z_dy * (dy0 + float(y));
    for (int x = 0; x <= columns; ++x) {
      const Mask inside = row_mask && x <= wide && (e0 | e1 | e2) >= 0;
      if (w.any(inside)) {
        const Float depth = clamp_to((z + z_dx * (dx0 + float(x))) + z_y, rule.z_min, rule.z_max);
        covered += samples.take(place, x, depth_key(depth, rule.key_bits), order, inside);
      }
      e0 += a[0];
      e1 += a[1];
      e2 += a[2];
    }
    row[0] += b[0];
    row[1] += b[1];
    row[2] += b[2];
  }
  return covered;
}

// A region's samples in the block's key buffer, for rasterize_small.
struct RegionSamples {
  Warp& w;
  const KeyPass& pass;
  Int x0, y0;  // each lane's first sample, relative to the region

  BROKKR_FN Int row(int y) const { return sample_row(y0 + y, pass.shift); }
  BROKKR_FN int take(Int row, int x, Uint depth, Uint order, Mask inside) const {
    pass.keys->take_min_at(w, row + sample_column(x0 + x), depth, order, inside);
    return w.count(inside);
  }
};

// Rasterizes the small triangles of a group in a region. Returns the number of covered samples.
template <class Records>
BROKKR_FN int rasterize_group(Warp& w, const KeyPass& pass, const Records& records, const Box<Int>& box) {
  const Box<int32_t> region = pass.box();
  const Box<Int> part{maximum(box.min_x, region.min_x), maximum(box.min_y, region.min_y),
                      minimum(box.max_x, region.max_x), minimum(box.max_y, region.max_y)};
  const Mask m = records.m && part.min_x <= part.max_x && part.min_y <= part.max_y;
  if (!w.any(m)) return 0;
  const RegionSamples samples{w, pass, part.min_x - region.min_x, part.min_y - region.min_y};
  Records here = records;
  here.m = m;
  return rasterize_small(w, here, box, part,
                         {pass.key_bits, records.block.z_min, records.block.z_max, records.block.top_edges != 0},
                         samples);
}

// Hierarchical depth. Removes tiles in which everything is already nearer. Lowers the bound of the farthest depth in
// tiles that the triangle covers completely. Depth along a row or column is monotonic even after rounding, so the
// corner samples bound it.
BROKKR_FN void cull_hidden_tiles(Warp& w, const KeyPass& pass, const RegionTriangle& tri, LaneTiles& tiles) {
  const Float dx = to_float(tiles.x - tri.box.min_x), dy = to_float(tiles.y - tri.box.min_y);
  const auto corner = [&](bool high_x, bool high_y) {
    return depth_key(plane_depth(tri, dx + (high_x ? 7.0f : 0.0f), dy + (high_y ? 7.0f : 0.0f)), pass.key_bits);
  };
  const bool inverted = (pass.key_bits & kKeyGreater) != 0;
  const bool right_is_far = (tri.z_dx > 0) != inverted, top_is_far = (tri.z_dy > 0) != inverted;
  const Uint nearest = corner(!right_is_far, !top_is_far), farthest = corner(right_is_far, top_is_far);
  const Int number = ((tiles.y >> 3) << (pass.shift - 3)) + (tiles.x >> 3);
  tiles.touched = tiles.touched && nearest <= pass.keys->farthest_of(w, number, tiles.touched);
  tiles.covered = tiles.covered && tiles.touched;
  pass.keys->limit_farthest(w, number, farthest, tiles.covered);
}

// Rasterizes one triangle with one lane per sample.
BROKKR_FN int rasterize_large(Warp& w, const KeyPass& pass, const RegionTriangle& tri) {
  const TileMasks tiles = tile_masks(w, tri, pass.shift, [&](LaneTiles& lanes) {
    if (pass.cull_hidden) cull_hidden_tiles(w, pass, tri, lanes);
  });
  const uint32_t order = order_of_primitive(tri.primitive, pass.key_bits);
  int covered = 0;
  for (uint64_t rest = tiles.touched; rest != 0; rest &= rest - 1) {
    const int tile = lowest_bit(rest);
    const int column = tile & 7, row = tile >> 3;
    const int tile_start = ((row << (pass.shift - 3)) + column) * kTileSamples;
    const bool whole = (tiles.covered >> tile) & 1u;
    const TileEdges edges(w, tri, column * kTile, row * kTile);
    if constexpr (kTileStartsFit && kWidth <= 16) {
      if (whole) {
        const TileEdges::Depths depths = edges.depths();
        for (int s = 0; s < kTileSamples; s += w.width) {
          pass.keys->take_min(w, tile_start + s, depth_key(depths.at(s), pass.key_bits), order, true);
        }
        covered += kTileSamples;
        continue;
      }
      // Visits only vectors that contain samples.
      const uint64_t samples = edges.coverage(w);
      covered += count_bits(samples);
      constexpr uint64_t kVector = (uint64_t(1) << kWidth) - 1;
      for (uint64_t left = samples; left != 0;) {
        const int s = lowest_bit(left) & ~(kWidth - 1);
        left &= ~(kVector << s);
        pass.keys->take_min(w, tile_start + s, depth_key(edges.depth(s), pass.key_bits), order,
                            w.lanes_of(uint32_t(samples >> s & kVector)));
      }
      continue;
    }
    for (int s = 0; s < kTileSamples; s += w.width) {
      if (Warp::takes_turns && !whole && edges.misses_box(s)) continue;
      const Mask inside = whole ? true : edges.inside(s);
      if (!whole && !w.any(inside)) continue;
      const Float z = edges.depth(s);
      pass.keys->take_min(w, tile_start + s, depth_key(z, pass.key_bits), order, inside);
      covered += whole ? w.width : w.count(inside);
    }
  }
  return covered;
}

// The box of the corners of each lane's triangle, in 1/256 pixel.
template <class Records>
BROKKR_FN Box<Int> box_of_corners(Warp& w, const Records& records) {
  Box<Int> box{records.x(w, 0), records.y(w, 0), records.x(w, 0), records.y(w, 0)};
  for (int k = 1; k < 3; ++k) {
    const Int x = records.x(w, k), y = records.y(w, k);
    box = {minimum(box.min_x, x), minimum(box.min_y, y), maximum(box.max_x, x), maximum(box.max_y, y)};
  }
  return box;
}
BROKKR_FN Mask fits(const Box<Int>& corners, int pixels) {
  return corners.max_x - corners.min_x <= pixels * 256 && corners.max_y - corners.min_y <= pixels * 256;
}

// Lanes whose triangle is small. The test uses the triangle's corners and not its clipped box, because the lane path
// computes in 32 bits.
template <class Records>
BROKKR_FN Mask is_small(Warp& w, const Records& records) {
  return fits(box_of_corners(w, records), kSmallBox);
}

// The lanes of m whose triangles rasterize_middle takes. A triangle whose box is cut, by a scissor or the target's
// edges, is left out: rasterize_middle relies on the edges alone. Tiny triangles are left out if they share the steps
// of rasterize_small among enough lanes.
BROKKR_FN Mask middle_of(Warp& w, const Box<Int>& corners, const Box<Int>& box, Mask m) {
  const Mask whole = box.min_x <= (corners.min_x + 127) >> 8 && box.min_y <= (corners.min_y + 127) >> 8 &&
                     box.max_x >= (corners.max_x - 128) >> 8 && box.max_y >= (corners.max_y - 128) >> 8;
  const Mask middle = m && whole && fits(corners, kMiddleBox);
  const Int side = maximum(box.max_x - box.min_x, box.max_y - box.min_y) + 1;
  const Mask tiny = middle && side <= kTinyBox;
  const int count = w.count(tiny);
  if (count == 0) return middle;
  const int largest = w.reduce_max(select(tiny, side, 0));
  return largest * largest > kStepsPerTiny * count ? middle : middle && !tiny;
}

// The triangles that rasterize_middle draws, one per lane: the blocks of the region that they may cover, edge
// functions, depth planes and orders. Edge functions and depth planes begin at the first sample of the first block.
struct MiddleTriangles {
  static constexpr int kVectors = kWidth < 16 ? 2 : 1;                            // of a block of samples
  static constexpr int kRows = tile_y(kWidth - 1) + 1;                            // of a vector
  static constexpr int kWide = tile_x(kWidth - 1) + 1, kHigh = kRows * kVectors;  // of a block
  static constexpr bool kOneAcross = kMiddleBox / kWide < kWidth;  // no triangle has more columns of blocks than lanes

  alignas(64) int32_t x[kWidth], y[kWidth];           // the first block
  alignas(64) int32_t columns[kWidth], rows[kWidth];  // of blocks
  // Edge functions, their steps to the next sample, and by how much they grow within a block.
  alignas(64) int32_t e[3][kWidth], a[3][kWidth], b[3][kWidth], growth[3][kWidth];
  alignas(64) float z[kWidth], z_dx[kWidth], z_dy[kWidth], dx0[kWidth], dy0[kWidth];
  alignas(64) uint32_t order[kWidth];

  template <class Records>
  BROKKR_FN MiddleTriangles(Warp& w, const KeyPass& pass, const Records& records, const Box<Int>& box) {
    const int last = pass.edge - 1;
    const Int x0 = maximum(box.min_x - pass.x, 0) & -kWide, y0 = maximum(box.min_y - pass.y, 0) & -kHigh;
    const auto blocks = [](Int low, Int high, int edge) { return ((high - low) >> (edge == 4 ? 2 : 1)) + 1; };
    static_assert(!kHasMiddle || ((kWide == 4 || kWide == 2) && kHigh == 4));
    w.store(x, x0);
    w.store(y, y0);
    w.store(columns, blocks(x0, minimum(box.max_x - pass.x, last), kWide));
    w.store(rows, blocks(y0, minimum(box.max_y - pass.y, last), kHigh));
    Int vx[3], vy[3], by_x[3], by_y[3];
    for (int k = 0; k < 3; ++k) {
      vx[k] = records.x(w, k);
      vy[k] = records.y(w, k);
    }
    edge_steps(vx, vy, by_x, by_y);
    const Int px = ((x0 + pass.x) << 8) + 128, py = ((y0 + pass.y) << 8) + 128;
    const bool top_edges = records.block.top_edges != 0;
    for (int k = 0; k < 3; ++k) {
      const Int value = by_x[k] * (px - vx[k]) + by_y[k] * (py - vy[k]);
      w.store(e[k], (value + select(owns_samples(by_x[k], by_y[k], top_edges), 0, -1)) >> 8);
      w.store(a[k], by_x[k]);
      w.store(b[k], by_y[k]);
      w.store(growth[k], maximum(by_x[k], 0) * (kWide - 1) + maximum(by_y[k], 0) * (kHigh - 1));
    }
    w.store(z, as_float(records.field(w, kZ)));
    w.store(z_dx, as_float(records.field(w, kZdx)));
    w.store(z_dy, as_float(records.field(w, kZdy)));
    w.store(dx0, to_float(x0 + pass.x - box.min_x));
    w.store(dy0, to_float(y0 + pass.y - box.min_y));
    w.store(order, order_of_primitive(records.field(w, kPrimitive), pass.key_bits));
  }
};

// Arrangements of blocks in lanes, row by row, with 1 << shift columns.
struct BlockLanes {
  alignas(64) int32_t x[8][kWidth], y[8][kWidth];  // first samples, by shift
  uint8_t shift[kWidth + 1];                       // by the number of columns
  uint32_t lanes[kWidth + 1];                      // those in the columns, one bit each
};
constexpr BlockLanes block_lanes() {
  BlockLanes all{};
  for (int columns = 1; columns <= kWidth; ++columns) {
    int shift = 0;
    while (1 << shift < columns) ++shift;
    all.shift[columns] = uint8_t(shift);
    for (int i = 0; i < kWidth; ++i) {
      const int column = i & ((1 << shift) - 1);
      all.x[shift][i] = column * MiddleTriangles::kWide;
      all.y[shift][i] = (i >> shift) * MiddleTriangles::kHigh;
      if (column < columns) all.lanes[columns] |= 1u << i;
    }
  }
  return all;
}
inline constexpr BlockLanes kBlockLanes = block_lanes();

// Rasterizes the triangles of lanes records.m, one after another. First, one lane per block finds the blocks of one or
// two vectors that may have samples inside of all edges. Then these blocks are visited with one lane per sample. So
// there is one loop without other branches, which processors would predict badly, and two vectors of 4 x 2 samples take
// half as many turns. Setup takes one lane per triangle. The triangles' boxes meet the region.
template <class Records>
BROKKR_FN_NOINLINE int rasterize_middle(Warp& w, const KeyPass& pass, const Records& records, const Box<Int>& box) {
  using Triangles = MiddleTriangles;
  constexpr int kVectors = Triangles::kVectors, kRows = Triangles::kRows;
  const Triangles t(w, pass, records, box);
  const uint8_t key_bits = pass.key_bits;
  RegionKeys& keys = *pass.keys;
  const Int lane_x = tile_x(w.lane()), lane_y = tile_y(w.lane());
  const float z_min = records.block.z_min, z_max = records.block.z_max;
  Int covered = 0;
  for (uint32_t rest = w.ballot(records.m); rest != 0; rest &= rest - 1) {
    const int i = lowest_bit(rest), columns = t.columns[i], rows = t.rows[i];
    Int lane_values[kVectors][3];
    for (int k = 0; k < 3; ++k) {
      lane_values[0][k] = t.a[k][i] * lane_x + t.b[k][i] * lane_y;
      if constexpr (kVectors == 2) lane_values[1][k] = lane_values[0][k] + t.b[k][i] * kRows;
    }
    const int wide = Triangles::kOneAcross || columns < kWidth ? columns : kWidth;
    const int shift = kBlockLanes.shift[wide], high = kWidth >> shift;
    for (int row = 0, column = 0; row < rows;) {
      const int right = columns - column, up = (rows - row) << shift;
      const auto first_lanes = [](int n) { return n < kWidth ? (1u << n) - 1 : ~0u; };
      // If a triangle has more columns than lanes, the lanes are one row of them.
      const uint32_t in_columns = column == 0 ? kBlockLanes.lanes[wide] : first_lanes(right);
      const uint32_t in_rows = first_lanes(up);
      const Int x = w.load(kBlockLanes.x[shift]) + column * Triangles::kWide;
      const Int y = w.load(kBlockLanes.y[shift]) + row * Triangles::kHigh;
      Int first[3], largest[3];
      for (int k = 0; k < 3; ++k) {
        first[k] = (t.a[k][i] * x + t.b[k][i] * y) + t.e[k][i];
        largest[k] = first[k] + t.growth[k][i];
      }
      const auto e0 = w.spill(first[0]), e1 = w.spill(first[1]), e2 = w.spill(first[2]);
      const auto dx_of = w.spill(to_float(x) + t.dx0[i]), dy_of = w.spill(to_float(y) + t.dy0[i]);
      const auto sample_of =
          w.spill(region_sample((x + t.x[i]) & -Triangles::kWide, (y + t.y[i]) & -Triangles::kHigh, pass.shift));
      const uint32_t may = w.ballot((largest[0] | largest[1] | largest[2]) >= 0);
      for (uint32_t some = may & in_columns & in_rows; some != 0; some &= some - 1) {
        const int n = lowest_bit(some);
        const Float z_x = t.z[i] + t.z_dx[i] * (to_float(lane_x) + dx_of[n]);
        for (int vector = 0; vector < kVectors; ++vector) {
          const Mask inside = ((lane_values[vector][0] + e0[n]) | (lane_values[vector][1] + e1[n]) |
                               (lane_values[vector][2] + e2[n])) >= 0;
          const Float dy = to_float(lane_y + kRows * vector) + dy_of[n];
          const Float depth = clamp_to(z_x + t.z_dy[i] * dy, z_min, z_max);
          keys.take_min(w, sample_of[n] + sample_row(kRows * vector, 0), depth_key(depth, key_bits), t.order[i],
                        inside);
          covered += select(inside, 1, 0);
        }
      }
      column += kWidth;
      if (Triangles::kOneAcross || column >= columns) {
        column = 0;
        row += high;
      }
    }
  }
  return w.reduce_add(covered);
}

// The places of the region's samples in their pixels. Here they lie at the centre, and a pixel has one sample. Other
// places have the same interface (raster/sampled.h).
struct AtCenter {
  BROKKR_FN RecordGroup group(const TriangleBlock& block, int g, Mask m) const { return {block, g, m}; }
  BROKKR_FN RegionTriangle triangle(const TriangleBlock& block, int i, int x, int y) const {
    return region_triangle(block, i, x, y);
  }
};

// Rasterizes the triangles `mask` of a block into the region's keys. Returns the number of covered samples. `pass` is a
// copy, so that the compiler knows that stores to the keys do not change it.
template <class Place>
BROKKR_FN_NOINLINE int rasterize_block(Warp& w, KeyPass pass, TablePointer<const TriangleBlock> of_store, uint32_t mask,
                                       Place place) {
  const TriangleBlock& block = *of_store;
  int covered = 0;
  for (int g = 0; g < kBlockRecords && (mask >> g) != 0; g += w.width) {
    auto records = place.group(block, g, lanes_of_group(w, mask, g));
    if (!w.any(records.m)) continue;
    const Box<Int> box = records.box(w);
    const Mask here = records.m && meet(box, pass.box());
    if (!w.any(here)) continue;
    const Box<Int> corners = box_of_corners(w, records);
    Mask large = here;
    if constexpr (kHasMiddle) {
      const Mask middle = middle_of(w, corners, box, here);
      large = here && !middle;
      records.m = middle;
      if (w.any(middle)) covered += rasterize_middle(w, pass, records, box);
    }
    const Mask small = large && fits(corners, kSmallBox);
    records.m = small;
    if (w.any(small)) covered += rasterize_group(w, pass, records, box);
    for (uint32_t rest = w.ballot(large && !small); rest != 0; rest &= rest - 1) {
      covered += rasterize_large(w, pass, place.triangle(block, g + lowest_bit(rest), pass.x, pass.y));
    }
  }
  return covered;
}

BROKKR_MACHINE_END
