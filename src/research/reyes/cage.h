// Catmull-Clark control cages, and their conversion to bicubic patches.
//
// A face whose corners all have four neighbours is a uniform bicubic B-spline patch and is converted exactly. Around
// other corners the limit surface is not polynomial; there the patch is the geometry patch of [Loop08]. With n faces
// around a corner p, the face's neighbours e1 and e2 of p, and the opposite corner d:
//
//   inner point   (n p + 2 e1 + 2 e2 + d) / (n + 5)
//   edge point    the mean of the inner points of the two faces beside the edge, at that end of it
//   corner point  the mean of the inner points of all faces around the corner: the limit of subdivision
//
// For n = 4 these equal the B-spline's points. Each is computed once and shared by all patches that use it, so patches
// meet without cracks, to the bit. Across edges at corners with n other than 4, tangents differ slightly.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <glm/vec3.hpp>
#include <vector>

#include "reyes/patches.h"

namespace brokkr {

// A closed surface of quadrilateral faces, counter-clockwise from outside.
struct Cage {
  std::vector<glm::vec3> points;
  std::vector<std::array<uint32_t, 4>> faces;
  std::vector<uint32_t> materials;  // per face
};

// One step of Catmull-Clark subdivision: each face becomes four. Throws std::runtime_error for a cage that is not
// closed.
Cage subdivided(const Cage& cage);

// Appends a patch to the scene for each face of the cage. Throws std::runtime_error for a cage that is not closed.
void append_patches(PatchScene& scene, const Cage& cage);

// The surface of the unit cubes for which `material` is not negative, with corners at `place(x, y, z)`. Two cubes must
// not share only an edge or only a corner. 0 <= x, y, z < `size`.
Cage cage_of_cubes(const std::array<int, 3>& size, const std::function<int(int x, int y, int z)>& material,
                   const std::function<glm::vec3(float x, float y, float z)>& place);

}  // namespace brokkr
