// Counts how often an OpenGL driver runs the vertex shader for an index buffer [Kerbl18, 6.2.1].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/egl_context.h"

namespace brokkr {

// Indices first .. first + count - 1 of a buffer, drawn as a triangle list by one call.
struct GlIndexRange {
  uint32_t first = 0, count = 0;
};

// The vertex shader invocations that the driver counts for each range (GL_ARB_pipeline_statistics_query, OpenGL 4.6),
// drawn off screen with a vertex shader that copies a position of three floats. Throws std::runtime_error if the driver
// cannot count, and std::out_of_range for a range beyond `indices` or of incomplete triangles.
std::vector<uint64_t> count_vertex_runs(EglContext& context, std::span<const uint32_t> indices,
                                        std::span<const GlIndexRange> ranges);

}  // namespace brokkr
