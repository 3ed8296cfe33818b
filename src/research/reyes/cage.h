// Catmull-Clark control cages, and their conversion to bicubic patches.
//
// A face whose corners all have four neighbours is a uniform bicubic B-spline patch, and is converted exactly. Around
// other corners the limit surface is no polynomial: there the patch is the geometry patch of [Loop08]. With n faces
// around a corner p, e1 and e2 the face's neighbours of p and d the corner across:
//
//   inner point   (n p + 2 e1 + 2 e2 + d) / (n + 5)
//   edge point    the mean of the inner points of the two faces beside the edge, at that end of it
//   corner point  the mean of the inner points of all faces around the corner: the limit of subdivision
//
// For n = 4 these are the B-spline's. Each is computed once and shared by all patches that have it, so that patches
// meet without cracks, bit by bit; across edges of corners with n other than 4 their tangents differ a little.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <glm/vec3.hpp>
#include <vector>

#include "reyes/patches.h"

namespace brokkr {

// A closed surface of faces with four corners, counter-clockwise from outside.
struct Cage {
  std::vector<glm::vec3> points;
  std::vector<std::array<uint32_t, 4>> faces;
  std::vector<uint32_t> materials;  // of each face
};

// One step of Catmull-Clark subdivision: four faces for each. Throws std::runtime_error for a cage that is not closed.
Cage subdivided(const Cage& cage);

// Appends a patch for each face of the cage to the scene. Throws std::runtime_error for a cage that is not closed.
void append_patches(PatchScene& scene, const Cage& cage);

// The surface of those unit cubes for which `material` is not negative, with corners `place(x, y, z)`. No two cubes may
// meet in an edge or a corner alone. x, y and z go from 0 to `size` exclusive.
Cage cage_of_cubes(const std::array<int, 3>& size, const std::function<int(int x, int y, int z)>& material,
                   const std::function<glm::vec3(float x, float y, float z)>& place);

}  // namespace brokkr
