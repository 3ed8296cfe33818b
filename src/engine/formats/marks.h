// Points and lines of meshes are drawn as solids that are some pixels wide at the middle of the scene.
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

// Axes of which the third is along `line`; those of the world where it has no length.
glm::mat3 across(const glm::vec3& line);

// Half the width in the world of a mark of `pixels`, seen by the frame's first view at the middle of `bounds`. Large
// enough to tell positions apart that differ in the last bits.
float mark_radius(const Frame& frame, const Bounds& bounds, float pixels);

}  // namespace brokkr
