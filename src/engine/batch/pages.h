// Keeps each batch's vertices within one block of 2^16 numbers ([Kerbl18, 6.3], NVIDIA post-process).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "batch/batch_model.h"

namespace brokkr {

inline constexpr uint32_t kPageVertices = 65536;

// A renumbering of vertices: vertex n of the new buffer is vertex source[n] of the old one.
struct VertexNumbering {
  std::vector<uint32_t> indices;
  std::vector<uint32_t> source;
};

// Numbers vertices in the order of first use; vertices without an index are omitted. Neighbours in the index buffer
// become neighbours in memory, and few batches cross a multiple of 2^16.
VertexNumbering number_by_first_use(std::span<const uint32_t> indices);

// For a model that forgets at multiples of 2^16. If a batch's vertices lie in several blocks, those outside the
// buffer's last block are copied to the buffer's end. If these copies start a new block, all of the batch's vertices
// are copied. Later batches reuse copies in the last block. For other models, indices are unchanged. `vertex_count` is
// the size of the buffer, at least one more than the largest index.
VertexNumbering keep_pages_apart(const BatchModel& model, std::span<const uint32_t> indices, uint32_t vertex_count);

}  // namespace brokkr
