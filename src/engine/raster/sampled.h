// Several coverage samples a pixel. Each sample index has its own planes and regions. To find coverage at a sample, we
// move the triangle so that the sample lies at the pixel's centre. This is exact, because samples lie at multiples of
// 1/256 pixel. Depth is the triangle's plane at the sample: z(x, y) = (z + z_dx (x - x0)) + z_dy (y - y0), where z =
// (z_centre + z_dx dx) + z_dy dy is the value at the sample (dx, dy) of the box's first pixel.
#pragma once

#include "raster/edges.h"
#include "raster/region.h"
#include "target/samples.h"

BROKKR_MACHINE_BEGIN

// The moved records of a block, with the interface of RecordGroup.
struct MovedGroup {
  const TriangleBlock& block;
  int g;
  Mask m;
  int32_t dx, dy;

  BROKKR_FN RecordGroup unmoved() const { return {block, g, m}; }
  BROKKR_FN Int x(Warp& w, int corner) const { return unmoved().x(w, corner) - dx; }
  BROKKR_FN Int y(Warp& w, int corner) const { return unmoved().y(w, corner) - dy; }
  BROKKR_FN Box<Int> box(Warp& w) const { return unmoved().box(w); }
  BROKKR_FN Uint field(Warp& w, RecordField which) const {
    const Uint value = unmoved().field(w, which);
    if (which != kZ) return value;
    const Float z_dx = as_float(unmoved().field(w, kZdx)), z_dy = as_float(unmoved().field(w, kZdy));
    return as_uint((as_float(value) + z_dx * (float(dx) * 0x1p-8f)) + z_dy * (float(dy) * 0x1p-8f));
  }
};

// The coverage of sample i of each pixel by a draw.
struct SampleRule {
  bool skips;      // the sample is not drawn
  int32_t dx, dy;  // from the pixel's centre, 1/256 pixel

  BROKKR_FN SampleRule(const DrawRecord& draw, uint32_t samples, uint32_t i)
      : skips((draw.bits >> (uint32_t(kDrawSkippedSamples) + i) & 1u) != 0), dx(0), dy(0) {
    if (draw.bits & kDrawOneSample) return;
    dx = sample_offset(samples, i).x;
    dy = sample_offset(samples, i).y;
    if (draw.bits & kDrawMirroredSamples) dy = -dy;
  }
  BROKKR_FN RegionTriangle triangle(const TriangleBlock& block, int i, int x, int y) const {
    RegionTriangle tri = region_triangle(block, i, x, y, dx, dy);
    tri.z = (tri.z + tri.z_dx * (float(dx) * 0x1p-8f)) + tri.z_dy * (float(dy) * 0x1p-8f);
    return tri;
  }
};

// Sample i of each pixel, with the interface of AtCenter.
struct AtSample {
  TablePointer<const DrawRecord> draws;
  uint32_t samples, i;

  BROKKR_FN MovedGroup group(const TriangleBlock& block, int first, Mask m) const {
    const SampleRule rule(draws[block.draw], samples, i);
    return {block, first, m && !Mask(rule.skips), rule.dx, rule.dy};
  }
  BROKKR_FN RegionTriangle triangle(const TriangleBlock& block, int record, int x, int y) const {
    return SampleRule(draws[block.draw], samples, i).triangle(block, record, x, y);
  }
};

// The tiles of a region in which the triangle may touch a sample that lies up to `reach` from its pixel's centre, and
// the tiles in which it covers all such samples.
BROKKR_FN TileMasks sampled_tile_masks(Warp& w, const RegionTriangle& tri, int shift, uint32_t reach) {
  RegionTriangle grown = tri, shrunk = tri;
  for (int k = 0; k < 3; ++k) {
    const int64_t a = tri.a[k] < 0 ? -tri.a[k] : tri.a[k], b = tri.b[k] < 0 ? -tri.b[k] : tri.b[k];
    const int32_t margin = int32_t(((a + b) * int64_t(reach) + 255) >> 8) + 1;
    grown.e[k] += margin;
    shrunk.e[k] -= margin;
  }
  const auto keep_all = [](LaneTiles&) {};
  return {tile_masks(w, grown, shift, keep_all).touched, tile_masks(w, shrunk, shift, keep_all).covered};
}

BROKKR_MACHINE_END
