// Turns submitted draws into the draws of a frame file: vertex numbers, topologies, restarts. No GL calls.
#pragma once

#include <GL/gl.h>
#include <GL/glext.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "brokkr/frame.h"
#include "frame/primitive_counts.h"

namespace brokkr::capture {

// How the driver divides quads, by probing it: corners of the two triangles of one quad, in the order of submission. A
// strip's quad is its vertices 2i … 2i + 3.
struct QuadSplit {
  std::array<uint8_t, 6> quad = {0, 1, 3, 1, 2, 3};
  std::array<uint8_t, 6> strip = {2, 0, 3, 0, 1, 3};
};

// Indices of 1, 2 or 4 bytes (GL_UNSIGNED_BYTE, …_SHORT, …_INT) as 32-bit ones.
std::vector<uint32_t> widen_indices(std::span<const std::byte> bytes, GLenum type);
size_t index_size(GLenum type);  // bytes; 0 where `type` is no index type

// A draw's vertices: the different ones in ascending order, and which of them each index names.
struct CompactIndices {
  std::vector<uint32_t> vertices;
  std::vector<uint32_t> indices;  // into `vertices`; kRestartIndex where a primitive restarts
  bool has_restart = false;
};
CompactIndices compact_indices(const std::vector<uint32_t>& submitted, std::optional<uint32_t> restart);

// A draw as the file has it. Without `indexed` the vertices are used in order.
struct Assembly {
  Topology topology = Topology::triangles;
  bool indexed = false, restart = false;
  std::vector<uint32_t> indices;
};

// `mode` as submitted. Without `indices` there are `count` vertices. Strips, fans and loops stay as they are; quads,
// polygons and adjacency modes (without a geometry shader, which would use them) become indices, and restarts in lists,
// which no file stores, cut incomplete primitives off. Nothing for a mode that assembles no primitives (GL_PATCHES).
std::optional<Assembly> assemble(GLenum mode, const CompactIndices* indices, uint32_t count, const QuadSplit& split);

// Triangles of `count` elements of `mode`.
uint64_t count_triangles(GLenum mode, uint64_t count);

// GL_POINTS, GL_LINES or GL_TRIANGLES: what feedback of a draw in `mode` records.
GLenum feedback_primitive(GLenum mode);

}  // namespace brokkr::capture
