// Keeps the vertices of every batch within one block of 2^16 numbers ([Kerbl18, 6.3], NVIDIA post-process).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "batch/batch_model.h"

namespace brokkr {

inline constexpr uint32_t kPageVertices = 65536;

// New numbers for vertices: vertex n of the new buffer is vertex source[n] of the old one.
struct VertexNumbering {
  std::vector<uint32_t> indices;
  std::vector<uint32_t> source;
};

// Numbers vertices in the order of their first use; vertices that no index uses are left out. Neighbours in the index
// buffer then are neighbours in memory, and few batches cross a multiple of 2^16.
VertexNumbering number_by_first_use(std::span<const uint32_t> indices);

// For a model that forgets at multiples of 2^16. Where a batch's vertices lie in several blocks, the vertices outside
// the buffer's last block are copied to the buffer's end; where these copies begin a new block, all of the batch's
// vertices are copied. Copies in the last block serve later batches as well. Other models' indices stay as they are.
// `vertex_count` is the size of the buffer, at least one more than the largest index.
VertexNumbering keep_pages_apart(const BatchModel& model, std::span<const uint32_t> indices, uint32_t vertex_count);

}  // namespace brokkr
