// Inputs of the stages of differentiable rendering. They are plain pointers and sizes, the same on every machine.
#pragma once

#include <cstdint>

#include "brokkr/diff.h"

namespace brokkr {

// The part of the work that one warp of a launch does.
struct DiffPart {
  uint32_t index, count;
};

inline constexpr int kDiffMaxLevels = 16;  // levels of a texture; its sides are at most 2^15
inline constexpr int kDiffLanes = 32;      // lanes of the widest machine

// Sums whose bits do not depend on the order of additions (diff/sums.h).
struct DiffSums {
  uint64_t* words;    // [owners][size]: two's complement
  uint64_t size;      // elements of the sum; channels vary fastest
  uint32_t owners;    // 1: all warps add atomically to the same words; otherwise each warp has its own words
  uint32_t channels;  // each channel has its own unit
  uint32_t* largest;  // [parts][channels][kDiffLanes]: bits of the largest magnitude that each lane has seen
  uint32_t parts;
  double* units;   // [channels]: factors for magnitudes; 0: all are 0, -1: some are not finite
  int32_t bits;    // bits of the largest contribution
  uint64_t split;  // elements before `split` are written to `out`, the others to `out_rest`
  float *out, *out_rest;
};

struct DiffGeometry {
  DiffShape shape;
  const float* pos;    // [N or 1, V, 4]
  const int32_t* tri;  // [T, 3]
  const float* rast;   // [N, H, W, 4]; null: ids are given
  const int32_t* ids;  // [N, H, W]; null: the ids in rast
  int32_t vertices, triangles;
  int64_t pos_stride;  // floats from image to image; 0: shared
};

struct DiffRasterize {
  DiffGeometry g;
  float *rast, *rast_db;
};
struct DiffRasterizeBackward {
  DiffGeometry g;
  const float *grad_rast, *grad_db;
  DiffSums sums;
};

struct DiffInterpolate {
  DiffGeometry g;
  const float* attr;
  int64_t attr_stride;
  int32_t channels;
  const int32_t* diff_attrs;  // [diff_count]
  int32_t diff_count;
  const float* rast_db;
  float *out, *out_da;
};
struct DiffInterpolateBackward {
  DiffInterpolate f;
  const float *grad_out, *grad_out_da;
  float *grad_rast, *grad_rast_db;
  DiffSums sums;  // words may be null: attributes then have no gradient
};

struct DiffSample {
  DiffShape shape;
  DiffFilter filter;
  DiffBoundary boundary;
  const float *tex, *mips;
  int64_t tex_stride, mip_stride;  // floats from image to image; 0: shared
  int32_t channels, levels;
  int32_t widths[kDiffMaxLevels], heights[kDiffMaxLevels];  // of each level
  // of each level's first float; offsets of levels >= 1 are within mips
  int32_t offsets[kDiffMaxLevels];
  const float *uv, *uv_da, *bias;
  float* out;
};
struct DiffSampleBackward {
  DiffSample f;
  const float* grad_out;
  float *grad_uv, *grad_uv_da, *grad_bias;
  DiffSums sums;
  uint64_t mips_at;  // the first of the sums of mips
};

// Makes one level of a pyramid from the previous level, or propagates gradients back.
struct DiffMip {
  float *large, *small;
  int32_t pictures;                 // images times faces
  int32_t height, width, channels;  // size of the large level
};

struct DiffAntialias {
  DiffGeometry g;
  const int32_t* opposite;
  const float* color;
  int32_t channels;
  float* out;
};
struct DiffAntialiasBackward {
  DiffAntialias f;
  const float* grad_out;
  float boost;
  float* grad_color;
  DiffSums sums;
};

struct DiffEdgesBackward {
  DiffGeometry g;
  const float* color;
  int32_t channels;
  const float* grad_out;
  float boost;
  DiffSums sums;
};

// The stages and their arguments. `_largest` runs before `_add`: the first finds the largest contribution of each
// channel, the second adds.
#define BROKKR_DIFF_STAGES(X)                     \
  X(rasterize, DiffRasterize)                     \
  X(rasterize_largest, DiffRasterizeBackward)     \
  X(rasterize_add, DiffRasterizeBackward)         \
  X(interpolate, DiffInterpolate)                 \
  X(interpolate_largest, DiffInterpolateBackward) \
  X(interpolate_add, DiffInterpolateBackward)     \
  X(sample, DiffSample)                           \
  X(sample_largest, DiffSampleBackward)           \
  X(sample_add, DiffSampleBackward)               \
  X(shrink, DiffMip)                              \
  X(shrink_backward, DiffMip)                     \
  X(antialias, DiffAntialias)                     \
  X(antialias_color, DiffAntialiasBackward)       \
  X(antialias_largest, DiffAntialiasBackward)     \
  X(antialias_add, DiffAntialiasBackward)         \
  X(edges_largest, DiffEdgesBackward)             \
  X(edges_add, DiffEdgesBackward)                 \
  X(find_units, DiffSums)                         \
  X(write_sums, DiffSums)

enum class DiffStage : uint8_t {
#define X(name, data) name,
  BROKKR_DIFF_STAGES(X)
#undef X
};

// The stages compiled for one instruction set of the CPU, or for the emulated machine.
struct DiffKernel {
  int width;  // lanes
  void (*run)(DiffStage stage, const void* data, DiffPart part);
};

}  // namespace brokkr
