// Every way of ordering an index buffer for vertex reuse that `brokkr optimize` and `brokkr batches` know.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "batch/batch_model.h"

namespace brokkr {

enum class ReorderMethod : uint8_t { original, hoppe, k_cache, tipsify, forsyth, batch, batch_fast };

struct ReorderInfo {
  ReorderMethod method;
  const char* name;
  const char* title;
  bool has_cache_size;
};
std::span<const ReorderInfo> reorder_methods();
// Throws std::invalid_argument that lists the names.
const ReorderInfo& reorder_method(std::string_view name);

// The cache size that a method is best given for a model (chosen as in [Kerbl18, 6.4]); 0 for a method that takes none.
uint32_t preferred_cache_size(ReorderMethod method, const BatchModel& model);

// The triangles of `indices`, each once with its winding, in the order that `method` finds for `model`. `cache_size` 0:
// the preferred one; limits 3 .. 1024. Throws std::invalid_argument for a length that is no multiple of 3 or a cache
// size out of range.
std::vector<uint32_t> reorder(ReorderMethod method, const BatchModel& model, std::span<const uint32_t> indices,
                              uint32_t cache_size = 0);

// Orders of triangles by the methods written here.
//
// [Lin06]: draws all remaining triangles of one focus vertex after the other. The next focus vertex is a cached one,
// chosen by how many vertices its triangles would push into the cache, how many triangles it would finish, and how soon
// it would leave the cache.
std::vector<uint32_t> k_cache_order(std::span<const uint32_t> indices, uint32_t cache_size);
// [Hoppe99]: strips grown greedily, ended where a simulated look-ahead says that a new strip at the side misses less.
std::vector<uint32_t> hoppe_order(std::span<const uint32_t> indices, uint32_t cache_size);

}  // namespace brokkr
