// Polygons to triangles.
#pragma once

#include <array>
#include <cstdint>
#include <glm/vec3.hpp>
#include <span>
#include <vector>

namespace brokkr {

// Appends the triangles of a simple, possibly concave polygon of at least three corners to `triangles`, as numbers of
// corners that keep the polygon's orientation: always corners.size() - 2 of them. Ear clipping in the polygon's own
// plane (Newell's normal). Where no ear is left (self-intersection, no area) the rest becomes a fan.
void triangulate(std::span<const glm::vec3> corners, std::vector<std::array<uint32_t, 3>>& triangles);

}  // namespace brokkr
