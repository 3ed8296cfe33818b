// Every way of ordering an index buffer for vertex reuse that `brokkr optimize` and `brokkr batches` know.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "batch/batch_model.h"

namespace brokkr {

enum class ReorderMethod : uint8_t { original, hoppe, k_cache, tipsify, forsyth, batch, batch_fast, batch_heap };

struct ReorderInfo {
  ReorderMethod method;
  const char* name;
  const char* title;
  bool has_cache_size;
};
std::span<const ReorderInfo> reorder_methods();
// Throws std::invalid_argument that lists the names.
const ReorderInfo& reorder_method(std::string_view name);

// The cache size that a method is best given for a model (as thesis 6.4 chose them), 0: it takes none.
uint32_t preferred_cache_size(ReorderMethod method, const BatchModel& model);

// The triangles of `indices`, each once with its winding, in the order that `method` finds for `model`. `cache_size` 0:
// the preferred one; limits 3 .. 1024. Throws std::invalid_argument for a length that is no multiple of 3 or a cache
// size out of range.
std::vector<uint32_t> reorder(ReorderMethod method, const BatchModel& model, std::span<const uint32_t> indices,
                              uint32_t cache_size = 0);

// Orders of triangles by the methods written here.
//
// Lin and Yu, "An Improved Vertex Caching Scheme for 3D Mesh Rendering" (2006): a focus vertex after the other, all of
// whose remaining triangles are drawn; chosen among the cached ones by how many vertices that would push, how many
// triangles it would finish, and how soon it would leave the cache.
std::vector<uint32_t> k_cache_order(std::span<const uint32_t> indices, uint32_t cache_size);
// Hoppe, "Optimization of Mesh Locality for Transparent Vertex Caching" (1999): strips grown greedily, ended where a
// simulated look-ahead says that beginning anew at the strip's side misses less.
std::vector<uint32_t> hoppe_order(std::span<const uint32_t> indices, uint32_t cache_size);

}  // namespace brokkr
