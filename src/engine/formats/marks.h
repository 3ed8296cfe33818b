// Points and lines of meshes are drawn as solids with a width of some pixels at the middle of the scene.
#pragma once

#include <array>
#include <cstdint>
#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>
#include <vector>

#include "brokkr/camera.h"
#include "brokkr/load.h"

namespace brokkr {

struct Solid {
  std::vector<glm::vec3> corners;
  std::vector<std::array<uint32_t, 3>> triangles;
};

// Points: corners at distance 1 around the middle.
Solid octahedron();
Solid tetrahedron();
// Lines along z: corners with z > 0 belong to the second end.
Solid bar();

// Returns axes whose third axis is along `line`, or the axes of the world if `line` has no length.
glm::mat3 across(const glm::vec3& line);

// Half the width in world space of a mark of `pixels`, if the frame's first view sees it at the middle of `bounds`. It
// is large enough to tell apart positions that differ in the last bits.
float mark_radius(const Frame& frame, const Bounds& bounds, float pixels);

}  // namespace brokkr
