// Order-free phases: which primitive is visible at each sample of a region, by minimum of (depth, order) keys.
#pragma once

#include "raster/edges.h"
#include "raster/region.h"

BROKKR_MACHINE_BEGIN

// Boxes up to this many samples wide and high go through the lane-per-triangle path.
BROKKR_CONSTANT int kSmallBox = 12;

// Triangles of m (lanes: records g .. g + width - 1 of the block), one per lane. Returns the samples that they cover.
BROKKR_FN int rasterize_small(Warp& w, const TriangleBlock& block, int g, Mask m, int region_x, int region_y, int shift,
                              uint8_t key_bits, RegionKeys& keys) {
  const auto field = [&](int f) { return as_int(w.load(block.field[f] + g, m)); };
  const Int lo = field(kMin), hi = field(kMax);
  const Int min_x = lo & 0xffff, min_y = as_int(as_uint(lo) >> 16);
  const int size = 1 << shift;
  // The part of the box inside the region.
  const Int x0 = maximum(min_x, region_x), y0 = maximum(min_y, region_y);
  const Int x1 = minimum(hi & 0xffff, region_x + size - 1);
  const Int y1 = minimum(as_int(as_uint(hi) >> 16), region_y + size - 1);
  m = m && x0 <= x1 && y0 <= y1;
  if (!w.any(m)) return 0;

  Int vx[3], vy[3], a[3], b[3], row[3];
  const Int px = (x0 << 8) + 128, py = (y0 << 8) + 128;
  for (int k = 0; k < 3; ++k) {
    vx[k] = field(kX0 + 2 * k);
    vy[k] = field(kY0 + 2 * k);
  }
  for (int k = 0; k < 3; ++k) {
    const int j = k == 2 ? 0 : k + 1;
    a[k] = vy[k] - vy[j];
    b[k] = vx[j] - vx[k];
    const Mask owns = a[k] > 0 || (a[k] == 0 && b[k] < 0);
    row[k] = (a[k] * (px - vx[k]) + b[k] * (py - vy[k]) + select(owns, 0, -1)) >> 8;
  }
  const Float z = as_float(field(kZ)), z_dx = as_float(field(kZdx)), z_dy = as_float(field(kZdy));
  const Uint order = order_of_primitive(as_uint(field(kPrimitive)), key_bits);
  const Int wide = x1 - x0, high = y1 - y0;
  const int columns = w.reduce_max(select(m, wide, 0)), rows = w.reduce_max(select(m, high, 0));
  const Float dx0 = to_float(x0 - min_x), dy0 = to_float(y0 - min_y);
  const Float z_min(block.z_min), z_max(block.z_max);
  int covered = 0;
  for (int y = 0; y <= rows; ++y) {
    const Mask row_mask = m && y <= high;
    Int e0 = row[0], e1 = row[1], e2 = row[2];
    const Float z_y = z_dy * (dy0 + float(y));
    for (int x = 0; x <= columns; ++x) {
      const Mask inside = row_mask && x <= wide && (e0 | e1 | e2) >= 0;
      if (w.any(inside)) {
        const Float depth = clamp_to((z + z_dx * (dx0 + float(x))) + z_y, z_min, z_max);
        const Int at = region_sample(x0 + (x - region_x), y0 + (y - region_y), shift);
        keys.take_min_at(w, at, depth_key(depth, key_bits), order, inside);
        covered += w.count(inside);
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

// Hierarchical depth: tiles in which everything is nearer already are left out, and tiles that the triangle covers
// learn how far their samples can lie at most. Depth along a row or column is monotonic even after rounding, so that
// the corner samples bound it.
BROKKR_FN void cull_hidden_tiles(Warp& w, const RegionTriangle& t, int shift, uint8_t key_bits, RegionKeys& keys,
                                 LaneTiles& tiles) {
  const Float dx = to_float(tiles.x - t.origin_x), dy = to_float(tiles.y - t.origin_y);
  const Float seven(7.0f), zero(0.0f);
  const auto corner = [&](bool high_x, bool high_y) {
    return depth_key(
        plane_depth(t.z, t.z_dx, t.z_dy, dx + (high_x ? seven : zero), dy + (high_y ? seven : zero), t.z_min, t.z_max),
        key_bits);
  };
  const bool inverted = (key_bits & kKeyGreater) != 0;
  const bool right_is_far = (t.z_dx > 0) != inverted, top_is_far = (t.z_dy > 0) != inverted;
  const Uint nearest = corner(!right_is_far, !top_is_far), farthest = corner(right_is_far, top_is_far);
  const Int number = ((tiles.y >> 3) << (shift - 3)) + (tiles.x >> 3);
  tiles.touched = tiles.touched && nearest <= keys.farthest_of(w, number, tiles.touched);
  tiles.covered = tiles.covered && tiles.touched;
  keys.limit_farthest(w, number, farthest, tiles.covered);
}

// One triangle, a lane per sample.
BROKKR_FN int rasterize_large(Warp& w, const TriangleBlock& block, int i, int region_x, int region_y, int shift,
                              uint8_t key_bits, bool cull_hidden, RegionKeys& keys) {
  const RegionTriangle t = region_triangle(block, i, region_x, region_y);
  const TileMasks tiles = tile_masks(w, t, shift, [&](LaneTiles& lanes) {
    if (cull_hidden) cull_hidden_tiles(w, t, shift, key_bits, keys, lanes);
  });
  const uint32_t order = key_bits & kKeyLastWins ? 0xfffffffeu - t.primitive : t.primitive + 1u;
  int covered = 0;
  for (uint64_t rest = tiles.touched; rest != 0; rest &= rest - 1) {
    const int tile = lowest_bit(rest);
    const int x0 = (tile & 7) * kTile, y0 = (tile >> 3) * kTile;
    const int at = (((tile >> 3) << (shift - 3)) + (tile & 7)) * kTileSamples;
    const bool whole = (tiles.covered >> tile) & 1u;
    const TileEdges edges(w, t, x0, y0);
    for (int s = 0; s < kTileSamples; s += w.width) {
      const Mask inside = whole ? Mask(true) : edges.inside(s);
      if (!whole && !w.any(inside)) continue;
      const Float z = edges.depth(s);
      keys.take_min(w, at + s, depth_key(z, key_bits), Uint(order), inside);
      covered += whole ? w.width : w.count(inside);
    }
  }
  return covered;
}

// The triangles of `mask` of a block, into the region's keys. Returns the samples that they cover.
BROKKR_FN_NOINLINE int rasterize_block(Warp& w, const TriangleBlock& block, uint32_t mask, int region_x, int region_y,
                                       int shift, uint8_t key_bits, bool cull_hidden, RegionKeys& keys) {
  int covered = 0;
  for (int g = 0; g < kBlockRecords && (mask >> g) != 0; g += w.width) {
    const Mask m = w.lanes_of(w.width == 32 ? mask : (mask >> g) & ((1u << (w.width & 31)) - 1u));
    if (!w.any(m)) continue;
    const Int lo = as_int(w.load(block.field[kMin] + g, m)), hi = as_int(w.load(block.field[kMax] + g, m));
    const int size = 1 << shift;
    const Mask here = m && (hi & 0xffff) >= region_x && (lo & 0xffff) < region_x + size && (hi >> 16) >= region_y &&
                      (lo >> 16) < region_y + size;
    if (!w.any(here)) continue;
    // Small by its corners, not by its clipped box: the lane path computes in 32 bits.
    Int x_lo, x_hi, y_lo, y_hi;
    for (int k = 0; k < 3; ++k) {
      const Int x = as_int(w.load(block.field[kX0 + 2 * k] + g, m)),
                y = as_int(w.load(block.field[kY0 + 2 * k] + g, m));
      x_lo = k == 0 ? x : minimum(x_lo, x);
      x_hi = k == 0 ? x : maximum(x_hi, x);
      y_lo = k == 0 ? y : minimum(y_lo, y);
      y_hi = k == 0 ? y : maximum(y_hi, y);
    }
    const Mask small = here && x_hi - x_lo <= kSmallBox * 256 && y_hi - y_lo <= kSmallBox * 256;
    if (w.any(small)) covered += rasterize_small(w, block, g, small, region_x, region_y, shift, key_bits, keys);
    for (uint32_t rest = w.ballot(here && !small); rest != 0; rest &= rest - 1) {
      covered +=
          rasterize_large(w, block, g + lowest_bit(rest), region_x, region_y, shift, key_bits, cull_hidden, keys);
    }
  }
  return covered;
}

BROKKR_MACHINE_END
