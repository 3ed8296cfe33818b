// Primitive assembly (OpenGL 4.6, 10.1): turns the elements of a draw into the vertex numbers of its triangles.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "brokkr/frame.h"

namespace brokkr::oracle {

// Vertex numbers, relative to the draw's first vertex, in the order that keeps a strip's winding.
using Corners = std::array<uint32_t, 3>;

// Triangles of one instance. Throws std::invalid_argument for lines and points.
std::vector<Corners> assemble(const Frame& frame, const DrawCommand& draw);

// Clip-space position of one corner, for any kind of vertex.
glm::vec4 clip_position(const Frame& frame, const DrawCommand& draw, uint32_t view, uint32_t instance, uint32_t vertex);

}  // namespace brokkr::oracle
