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
    const int at = ((row << (pass.shift - 3)) + column) * kTileSamples;
    const bool whole = (tiles.covered >> tile) & 1u;
    const TileEdges edges(w, tri, column * kTile, row * kTile);
    if constexpr (kTileStartsFit && kWidth <= 16) {
      if (whole) {
        const TileEdges::Depths depths = edges.depths();
        for (int s = 0; s < kTileSamples; s += w.width) {
          pass.keys->take_min(w, at + s, depth_key(depths.at(s), pass.key_bits), order, true);
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
        pass.keys->take_min(w, at + s, depth_key(edges.depth(s), pass.key_bits), order,
                            w.lanes_of(uint32_t(samples >> s & kVector)));
      }
      continue;
    }
    for (int s = 0; s < kTileSamples; s += w.width) {
      if (Warp::takes_turns && !whole && edges.misses_box(s)) continue;
      const Mask inside = whole ? true : edges.inside(s);
      if (!whole && !w.any(inside)) continue;
      const Float z = edges.depth(s);
      pass.keys->take_min(w, at + s, depth_key(z, pass.key_bits), order, inside);
      covered += whole ? w.width : w.count(inside);
    }
  }
  return covered;
}

// Lanes whose triangle is small. The test uses the triangle's corners and not its clipped box, because the lane path
// computes in 32 bits.
template <class Records>
BROKKR_FN Mask is_small(Warp& w, const Records& records) {
  Int x_lo = records.x(w, 0), x_hi = x_lo, y_lo = records.y(w, 0), y_hi = y_lo;
  for (int k = 1; k < 3; ++k) {
    const Int x = records.x(w, k), y = records.y(w, k);
    x_lo = minimum(x_lo, x);
    x_hi = maximum(x_hi, x);
    y_lo = minimum(y_lo, y);
    y_hi = maximum(y_hi, y);
  }
  return x_hi - x_lo <= kSmallBox * 256 && y_hi - y_lo <= kSmallBox * 256;
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
    const Mask small = here && is_small(w, records);
    records.m = small;
    if (w.any(small)) covered += rasterize_group(w, pass, records, box);
    for (uint32_t rest = w.ballot(here && !small); rest != 0; rest &= rest - 1) {
      covered += rasterize_large(w, pass, place.triangle(block, g + lowest_bit(rest), pass.x, pass.y));
    }
  }
  return covered;
}

BROKKR_MACHINE_END
