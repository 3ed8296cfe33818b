// Choices at run time: machines, policies, shadings. Kernels include this header, so that it has enumerations and
// nothing else.
#pragma once

#include <cstdint>

namespace brokkr {

enum class MachineKind : uint8_t { automatic, cuda, cpu, emulated };

// Which block may work for a rasterizer: always the same block, or any idle one.
enum class Ownership : uint8_t { fixed, stealing };

// automatic: order-free phases are found and taken; strict: every draw goes through the ordered tile path.
enum class OrderMode : uint8_t { automatic, strict };

// How vertices are shared inside a batch. The counted vertex shader runs are those that predict_batches
// (batch/predict.h) predicts for the batch model of the same name.
enum class ReuseMode : uint8_t {
  automatic,  // warp for transformed draws on a GPU, else none
  none,       // every index is shaded
  warp,       // each distinct vertex of 32 triangles once, found while rendering
  nvidia,     // as hardware is known to do it (batch/batch_model.h), found before rendering
  nvidia_gl,
  amd,
  intel,
  precomputed,  // 32 distinct vertices or 32 triangles, found before rendering
};

// How surfaces are shown.
// `material` is the draw's own material (Blinn-Phong for OBJ, the lit colour of the draw for captures).
enum class Shading : uint8_t {
  material,
  draw,
  triangle,
  batch,
  depth,
  normal,
  overdraw,
  flat,
  wireframe,
  multiply_add
};

// Whether the shader looks at materials: it then may discard fragments of materials with an alpha cutoff and of draws
// with an alpha test.
constexpr bool shows_materials(Shading s) { return s == Shading::material; }

// Whether the shader compares the samples of a 2x2 quad (kDerivatives): its lanes then come as quads.
constexpr bool takes_derivatives(Shading s) { return s == Shading::wireframe; }

// Decides what a block does next where both geometry and rasterization are possible, and for which rasterizer it works.
// The picture does not depend on the policy, unless the frame is cut off before it is finished.
//   fill_level      geometry while a quarter of the triangle store is free, then the longest queue of those
//                   near the last one
//   geometry_first  geometry until the store is full
//   raster_first    geometry only when no rasterizer can go on
//   round_robin     geometry and rasterization in turn
//   fair            each has its quota of the time
//   edf             geometry first; then rasterizers of the view whose deadline is next; views that are late come last
//   priority        geometry first; then rasterizers of the view with the highest priority
//   foveated        geometry first; then the rasterizer next to the fixation point
// edf and priority also take geometry in the order of their views, where the result does not depend on that order.
enum class Policy : uint8_t { fill_level, geometry_first, raster_first, round_robin, fair, edf, priority, foveated };
inline constexpr int kPolicies = 8;

// Whether rasterizers have ranks: edf's deadlines, 2^32 - 1 - priority, or squared distances.
constexpr bool has_ranks(Policy p) { return p >= Policy::edf; }

}  // namespace brokkr
