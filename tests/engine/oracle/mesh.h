// Conforming planar meshes that cover a target. Every pixel belongs to exactly one triangle, for any edge rule that
// treats both sides of an edge alike.
#pragma once

#include <cstdint>

#include "brokkr/frame.h"

namespace brokkr::oracle {

enum class MeshKind : uint8_t {
  grid_points,  // vertices anywhere on the 1/256-pixel grid, many slivers; unclipped, w = 1
  centres,      // vertices on pixel centres and pixel corners only; unclipped, w = 1
  perspective,  // like grid_points, with a random w for each vertex; unclipped
  near_plane,   // a plane that passes below the eye: near clipping cuts the target, w reaches below zero
  guard_band,   // vertices far outside the target, out to 2^20 pixels
};
inline constexpr MeshKind kMeshKinds[] = {MeshKind::grid_points, MeshKind::centres, MeshKind::perspective,
                                          MeshKind::near_plane, MeshKind::guard_band};

// Command 0 clears colour to 1, depth to 1 and stencil to 0, and command 1 draws. Every fragment increments the stencil
// and halves the colour by blending: a pixel hit once holds 1 and 128 under any shading. There is no depth test.
struct Mesh {
  Frame frame;    // the mesh: an indexed list in random order
  Frame outline;  // its outline as one triangle: the area that the mesh covers once
};

// Deterministic for a seed. Sizes are in pixels.
Mesh make_mesh(uint32_t seed, MeshKind kind, int width = 200, int height = 150);

}  // namespace brokkr::oracle
